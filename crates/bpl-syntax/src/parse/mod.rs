//! The parser: recursive descent, one function per production of the grammar.
//!
//! It also performs the checks that Boogie performs while parsing: that jumps have targets, that a
//! float fits its size, and the like. Names and types are left to a checker.
//!
//! A production that fails has reported the error and returns `Failed`. Parsing resumes at
//! statements and declarations, so that one run reports several errors.

mod civl;
mod decl;
mod expr;
mod float;
mod hints;
mod jumps;
mod stmt;
mod tokens;
mod ty;

use std::sync::Arc;

use rustc_hash::FxHashSet;
use thin_vec::thin_vec;

use crate::ast::{Attr, AttrParam, Decl, Expr, Ident, List, Name, Program};
use crate::diagnostic::{Diagnostic, ErrorClass, MAX_ERRORS};
use crate::dialect::Dialect;
use crate::source::SourceMap;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use tokens::Tokens;

/// The largest nesting depth of expressions, statements and types, and the largest height of a
/// tree.
///
/// All code in this workspace that walks a tree grows the stack as needed, including cloning,
/// comparing and hashing. Dropping does not: a tree at the limit needs up to 1.5 MiB of stack, or 3
/// MiB without optimization, more than the 2 MiB that a thread has by default.
pub const MAX_HEIGHT: u32 = 10_000;

/// The result of parsing: always a program, and the errors.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parse {
    /// The declarations that could be parsed.
    pub program: Program,
    /// The errors, in source order. Empty if the program is syntactically correct.
    ///
    /// Nearly all are of [`ErrorClass::Syntax`]. A few are of [`ErrorClass::Resolution`], because
    /// Boogie accepts the syntax and rejects it during name resolution.
    pub errors: Vec<Diagnostic>,
}

/// Parses a text as a complete program.
///
/// ```
/// use bpl_syntax::{Dialect, parse};
///
/// let parse = parse("axiom 1 + 1 == 2;", Dialect::Boogie2);
/// assert!(parse.errors.is_empty());
/// assert_eq!(parse.program.decls.len(), 1);
/// ```
///
/// After an error, parsing continues with the next declaration:
///
/// ```
/// use bpl_syntax::{Dialect, parse};
///
/// let parse = parse("axiom 1 = 1; const c: int;", Dialect::Boogie2);
/// assert_eq!(parse.errors[0].help.as_deref(), Some("equality is `==`, assignment is `:=`"));
/// assert_eq!(parse.program.decls.len(), 1);
/// ```
pub fn parse(text: &str, dialect: Dialect) -> Parse {
    let mut program = Program { dialect, decls: Vec::new() };
    let errors = parse_file(text, 0, 0, &mut program);
    Parse { program, errors }
}

/// Parses all files as one program, as Boogie does with several files.
///
/// ```
/// use bpl_syntax::source::SourceMap;
/// use bpl_syntax::{Dialect, parse_files};
///
/// let mut sources = SourceMap::new();
/// sources.add("constants.bpl", "const c: int;")?;
/// sources.add("axioms.bpl", "axiom c > 0;")?;
/// let parse = parse_files(&sources, Dialect::Boogie2);
/// let location = sources.locate(parse.program.decls[1].span()).unwrap();
/// assert_eq!((location.file.name.as_str(), location.line, location.column), ("axioms.bpl", 1, 1));
/// # Ok::<(), bpl_syntax::source::TooLarge>(())
/// ```
pub fn parse_files(sources: &SourceMap, dialect: Dialect) -> Parse {
    let mut program = Program { dialect, decls: Vec::new() };
    let mut errors = Vec::new();
    for (index, file) in sources.files().iter().enumerate() {
        errors.append(&mut parse_file(&file.text, file.base, index, &mut program));
    }
    Parse { program, errors }
}

fn parse_file(text: &str, base: u32, index: usize, program: &mut Program) -> Vec<Diagnostic> {
    if text.len() > crate::source::MAX_SIZE - base as usize {
        let message = "the program is larger than 4 GiB";
        return vec![Diagnostic::new(ErrorClass::Syntax, Span::new(base, base), message)];
    }
    let source = Source { text, base, index, dialect: program.dialect };
    let (tokens, errors, middle) = Tokens::of(source);
    if errors.is_empty()
        && let Some(middle) = middle
        && let Some(halves) = parse_in_two(source, tokens.clone(), middle)
    {
        program.decls.extend(halves);
        return Vec::new();
    }
    let (decls, mut errors) = parse_tokens(source, tokens, errors);
    program.decls.extend(decls);
    errors.sort_by_key(|error| error.span.start);
    errors
}

#[derive(Clone, Copy)]
struct Source<'s> {
    text: &'s str,
    base: u32,
    index: usize,
    dialect: Dialect,
}

fn parse_tokens<'s>(
    Source { text, base, dialect, .. }: Source<'s>,
    tokens: Tokens<'s>,
    errors: Vec<Diagnostic>,
) -> (Vec<Arc<Decl>>, Vec<Diagnostic>) {
    let mut parser = Parser {
        text,
        base,
        tokens,
        position: 0,
        dialect,
        depth: 0,
        height: 0,
        bounds: None,
        scratch: Vec::new(),
        names: FxHashSet::default(),
        lexical_errors: errors.len(),
        errors,
    };
    let mut decls = Vec::new();
    parser.program(&mut decls);
    (decls, parser.errors)
}

/// Parses a large file in two threads. Gives up if that is impossible, and on any error: a single
/// parser that has seen everything reports errors better.
fn parse_in_two<'s>(
    source: Source<'s>,
    first: Tokens<'s>,
    middle: Tokens<'s>,
) -> Option<Vec<Arc<Decl>>> {
    /// The stack size in bytes, enough to drop a tree of the greatest height.
    const STACK: usize = 8 << 20;
    if std::thread::available_parallelism().map_or(1, Into::into) < 2 {
        return None;
    }
    let first = first.before(&middle);
    let parse = |tokens| {
        let (decls, errors) = parse_tokens(source, tokens, Vec::new());
        errors.is_empty().then_some(decls)
    };
    std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().stack_size(STACK);
        let helper = helper.spawn_scoped(scope, || parse(middle)).ok()?;
        let first = parse(first);
        match (first, helper.join()) {
            (Some(mut decls), Ok(Some(more))) => {
                decls.extend(more);
                Some(decls)
            }
            (_, Err(panic)) => std::panic::resume_unwind(panic),
            _ => None,
        }
    })
}

/// The number of items from which on a list may keep spare capacity: capacity that is never written
/// takes no memory, but trimming would copy the list.
const MANY: usize = 1000;

/// Removes a list's spare capacity: most lists have one or two items and would have room for four.
fn trimmed<T>(mut items: Vec<T>) -> Vec<T> {
    if items.len() < MANY {
        items.shrink_to_fit();
    }
    items
}

/// The error of a production that did not match; the reason has been reported.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'s> {
    text: &'s str,
    base: u32,
    tokens: Tokens<'s>,
    /// The position of the next token, at most that of the last, which is [`TokenKind::End`].
    position: usize,
    dialect: Dialect,
    /// The number of nested productions in progress.
    depth: u32,
    /// The height of the expression parsed last.
    height: u32,
    /// The most recent bitvector bounds.
    bounds: Option<expr::Bounds>,
    /// The expressions of incomplete lists.
    scratch: Vec<Expr>,
    /// The names so far, for sharing.
    names: FxHashSet<Name>,
    /// The errors, those of the lexer first.
    errors: Vec<Diagnostic>,
    lexical_errors: usize,
}

impl<'s> Parser<'s> {
    fn token(&self) -> Token {
        self.tokens.get(self.position)
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// The kind of a nearby later token: see [`Tokens::get`].
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.position + ahead).kind
    }

    /// The kind of a later token, however far away.
    fn kind_far(&mut self, ahead: usize) -> TokenKind {
        self.tokens.look(self.position + ahead).kind
    }

    /// Advances to a token.
    fn go_to(&mut self, position: usize) {
        self.position = position;
        self.tokens.read_on(position);
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.go_to(self.position + 1);
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.go_to(self.position + 1);
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token> {
        if self.at(kind) { Ok(self.bump()) } else { self.fail(kind.describe()) }
    }

    fn is_new(&self) -> bool {
        self.dialect == Dialect::Boogie3
    }

    /// The span from the first byte of a token to the end of the last consumed one.
    fn span_from(&self, start: Token) -> Span {
        let end = self.previous().map_or(start.end, |last| last.end);
        Span::new(start.start, end.max(start.start))
    }

    fn text(&self, token: Token) -> &'s str {
        &self.text[(token.start - self.base) as usize..(token.end - self.base) as usize]
    }

    fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = Name::new(text);
        self.names.insert(name.clone());
        name
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.errors.push(Diagnostic::new(ErrorClass::Syntax, span, message));
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    /// Runs a production one level deeper, on more stack if necessary.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_HEIGHT {
            return self.too_deep();
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || production(self));
        self.depth -= 1;
        result
    }

    #[cold]
    fn too_deep<T>(&mut self) -> Parsed<T> {
        let span = self.token().span();
        self.error(span, format!("nested more than {MAX_HEIGHT} levels deep")).help =
            Some("split the expression or statement into several".to_owned());
        // All enclosing productions are as deep, so there is no point in continuing.
        self.position = self.tokens.end();
        Err(Failed)
    }

    fn gave_up(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    /// Parses one or more items separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(trimmed(items))
    }

    /// Parses one or more items separated by commas.
    fn thin_list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<List<T>> {
        let mut items = thin_vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        if items.len() < MANY {
            items.shrink_to_fit();
        }
        Ok(items)
    }

    /// Parses zero or more items separated by commas, and the closing token.
    fn thin_list_until<T>(
        &mut self,
        close: TokenKind,
        item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<List<T>> {
        if self.eat(close) {
            return Ok(List::new());
        }
        let items = self.thin_list(item)?;
        self.expect(close)?;
        Ok(items)
    }

    /// Parses zero or more items separated by commas, and the closing token.
    fn list_until<T>(
        &mut self,
        close: TokenKind,
        item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.list(item)?;
        self.expect(close)?;
        Ok(items)
    }

    fn ident(&mut self) -> Parsed<Ident> {
        let token = self.expect(TokenKind::Ident)?;
        let text = self.text(token);
        let name = self.name(text.strip_prefix('\\').unwrap_or(text));
        Ok(Ident { span: token.span(), name })
    }

    fn idents(&mut self) -> Parsed<List<Ident>> {
        self.thin_list(Self::ident)
    }

    /// Whether the next token is this contextual keyword.
    fn at_contextual(&self, word: &str) -> bool {
        self.at(TokenKind::Ident) && self.text(self.token()) == word
    }

    fn at_attr(&self) -> bool {
        self.at(TokenKind::LeftBrace) && self.kind_at(1) == TokenKind::Colon
    }

    /// `{:name "text", expr} …`
    fn attrs(&mut self) -> Parsed<List<Attr>> {
        if !self.at_attr() {
            return Ok(List::new());
        }
        let mut attrs = vec![self.attr()?];
        while self.at_attr() {
            attrs.push(self.attr()?);
        }
        Ok(attrs.into())
    }

    fn attr(&mut self) -> Parsed<Attr> {
        let start = self.expect(TokenKind::LeftBrace)?;
        self.expect(TokenKind::Colon)?;
        if !self.at(TokenKind::Ident) {
            return self.fail("the name of an attribute");
        }
        let token = self.bump();
        let name = self.name(self.text(token));
        let params = self.thin_list_until(TokenKind::RightBrace, Self::attr_param)?;
        Ok(Attr { span: self.span_from(start), name, params })
    }

    fn attr_param(&mut self) -> Parsed<AttrParam> {
        let whole = matches!(self.kind_at(1), TokenKind::Comma | TokenKind::RightBrace);
        if self.at(TokenKind::StringLiteral) && (whole || !self.is_new()) {
            let token = self.bump();
            return Ok(AttrParam::Str(self.string_content(token)));
        }
        Ok(AttrParam::Expr(self.expr()?))
    }

    /// The text between the quotes.
    fn string_content(&mut self, token: Token) -> Name {
        let text = self.text(token);
        self.name(&text[1..text.len() - 1])
    }
}
