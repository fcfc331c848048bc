//! The kinds of tokens, the reserved words of both dialects, and the spelling of each kind.

use crate::dialect::Dialect;
use crate::span::Span;

/// A token: its kind and its location. The text remains in the source.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Token {
    /// The source span of the token.
    pub fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// The dialects in which a word is reserved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reserved {
    Both,
    Old,
    New,
}

/// Declares the token kinds: reserved words with the dialects that reserve them, symbols, and
/// the kinds whose text varies.
macro_rules! tokens {
    (
        words { $( $length:literal: $( $word:ident $text:literal $reserved:ident, )* )* }
        symbols { $( $symbol:ident $symbol_text:literal, )* }
        others { $( $other:ident $description:literal, )* }
    ) => {
        /// The kinds of tokens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum TokenKind {
            $( $( #[doc = concat!("`", $text, "`")] $word, )* )*
            $( #[doc = concat!("`", $symbol_text, "`")] $symbol, )*
            $( #[doc = $description] $other, )*
        }

        impl TokenKind {
            /// Describes the kind in messages.
            pub fn describe(self) -> &'static str {
                match self {
                    $( $( TokenKind::$word => concat!("`", $text, "`"), )* )*
                    $( TokenKind::$symbol => concat!("`", $symbol_text, "`"), )*
                    $( TokenKind::$other => $description, )*
                }
            }

            /// Whether this is a reserved word.
            pub fn is_word(self) -> bool {
                matches!(self, $( $( TokenKind::$word )|* )|*)
            }
        }

        /// Looks up a text among the reserved words of all dialects. The words are sorted by
        /// length, so a text is compared with a handful of them at most.
        #[inline]
        fn word(text: &[u8]) -> Option<(TokenKind, Reserved)> {
            match text.len() {
                $( $length => match text {
                    $( text if text == $text.as_bytes() => {
                        Some((TokenKind::$word, Reserved::$reserved))
                    } )*
                    _ => None,
                }, )*
                _ => None,
            }
        }

        #[cfg(test)]
        const WORDS: &[(usize, &str)] = &[ $( $( ($length, $text), )* )* ];
    };
}

tokens! {
    words {
        2:
        If "if" Both,
        Is "is" New,
        3:
        Var "var" Both,
        Int "int" Both,
        Div "div" Both,
        Mod "mod" Both,
        Old "old" Both,
        Par "par" Old,
        Rne "RNE" Both,
        Rna "RNA" Both,
        Rtp "RTP" Both,
        Rtn "RTN" Both,
        Rtz "RTZ" Both,
        4:
        Real "real" Both,
        Bool "bool" Both,
        Type "type" Both,
        Free "free" Both,
        Goto "goto" Both,
        Then "then" Both,
        Else "else" Both,
        Call "call" Both,
        True "true" Both,
        Pure "pure" New,
        Uses "uses" New,
        5:
        Where "where" Both,
        Const "const" Both,
        Axiom "axiom" Both,
        While "while" Both,
        Break "break" Both,
        Havoc "havoc" Both,
        Yield "yield" Both,
        Async "async" Both,
        False "false" Both,
        6:
        Unique "unique" Both,
        Return "return" Both,
        Assert "assert" Both,
        Assume "assume" Both,
        Forall "forall" Both,
        Exists "exists" Both,
        Lambda "lambda" Both,
        Action "action" New,
        7:
        Returns "returns" Both,
        Ensures "ensures" Both,
        Extends "extends" Old,
        Asserts "asserts" New,
        Measure "measure" New,
        Refines "refines" New,
        8:
        Function "function" Both,
        Modifies "modifies" Both,
        Requires "requires" Both,
        Complete "complete" Old,
        Datatype "datatype" New,
        Hideable "hideable" New,
        Revealed "revealed" New,
        9:
        Procedure "procedure" Both,
        Invariant "invariant" Both,
        Preserves "preserves" New,
        14:
        Implementation "implementation" Both,
        15:
        RoundTowardZero "roundTowardZero" Both,
        19:
        RoundTowardPositive "roundTowardPositive" Both,
        RoundTowardNegative "roundTowardNegative" Both,
        22:
        RoundNearestTiesToEven "roundNearestTiesToEven" Both,
        RoundNearestTiesToAway "roundNearestTiesToAway" Both,
    }
    symbols {
        Semicolon ";",
        Colon ":",
        Comma ",",
        LeftParen "(",
        RightParen ")",
        LeftBrace "{",
        RightBrace "}",
        LeftBracket "[",
        RightBracket "]",
        Less "<",
        Greater ">",
        Equal "=",
        Assign ":=",
        DoubleColon "::",
        EqualEqual "==",
        NotEqual "!=",
        LessEqual "<=",
        GreaterEqual ">=",
        Implies "==>",
        Explies "<==",
        Iff "<==>",
        AndAnd "&&",
        OrOr "||",
        Not "!",
        Plus "+",
        Minus "-",
        Star "*",
        Slash "/",
        StarStar "**",
        PlusPlus "++",
        Bar "|",
        LeftCode "|{",
        RightCode "}|",
        Subtype "<:",
        Arrow "->",
    }
    others {
        Ident "an identifier",
        IntLiteral "an integer",
        RealLiteral "a real number",
        BitVectorLiteral "a bitvector",
        FloatLiteral "a float",
        StringLiteral "a string",
        End "the end of the file",
    }
}

impl TokenKind {
    /// Looks up an identifier-like text among the reserved words of a dialect.
    #[inline]
    pub(crate) fn reserved(text: &[u8], dialect: Dialect) -> Option<TokenKind> {
        let (kind, reserved) = word(text)?;
        let applies = match reserved {
            Reserved::Both => true,
            Reserved::Old => dialect == Dialect::Boogie2,
            Reserved::New => dialect == Dialect::Boogie3,
        };
        applies.then_some(kind)
    }
}

/// Whether a name must be escaped by a backslash to be an identifier in both dialects: it is
/// reserved in one of them, or starts a statement in Boogie 3 (`hide`, `reveal`, `push`, `pop`), or
/// was reserved in a version between the two.
pub fn is_reserved(name: &str) -> bool {
    word(name.as_bytes()).is_some()
        || matches!(name, "hide" | "reveal" | "push" | "pop" | "creates" | "using")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_under_their_length() {
        for &(length, text) in WORDS {
            assert_eq!(text.len(), length, "{text}");
        }
    }

    #[test]
    fn dialects_reserve_different_words() {
        assert_eq!(TokenKind::reserved(b"is", Dialect::Boogie2), None);
        assert_eq!(TokenKind::reserved(b"is", Dialect::Boogie3), Some(TokenKind::Is));
        assert_eq!(TokenKind::reserved(b"extends", Dialect::Boogie3), None);
        assert_eq!(TokenKind::reserved(b"var", Dialect::Boogie3), Some(TokenKind::Var));
    }
}
