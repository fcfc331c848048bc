//! The parser: recursive descent, one function per production of the grammar.
//!
//! It also makes the checks that Boogie makes while parsing: that jumps have targets, that a
//! float fits its size, and the like. Names and types are not its business.
//!
//! A production that fails has reported why and returns `Failed`; statements and declarations
//! are where parsing takes up again, so that one run reports several errors.

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

/// How deep expressions, statements and types may nest, and how high a tree may get.
///
/// Everything in this workspace that walks a tree grows the stack as it needs it, cloning,
/// comparing and hashing included. Dropping does not: a tree at the limit needs up to 1.5 MiB of
/// stack, or 3 MiB without optimization, more than the 2 MiB that a thread has by default.
pub const MAX_HEIGHT: u32 = 10_000;

/// What came out of parsing: always a program, and what was wrong on the way.
#[derive(Debug)]
pub struct Parse {
    /// The declarations that could be read.
    pub program: Program,
    /// What could not, in the order of the source. Empty if the program is well-formed.
    ///
    /// Nearly all are of [`ErrorClass::Syntax`]; a few things are read and rejected in the name of
    /// [`ErrorClass::Resolution`], because Boogie does so.
    pub errors: Vec<Diagnostic>,
}

/// Parses one text as a program of its own.
///
/// ```
/// use bpl_syntax::{Dialect, parse};
///
/// let parse = parse("axiom 1 + 1 == 2;", Dialect::Boogie2);
/// assert!(parse.errors.is_empty());
/// assert_eq!(parse.program.decls.len(), 1);
/// ```
pub fn parse(text: &str, dialect: Dialect) -> Parse {
    let mut program = Program { dialect, decls: Vec::new() };
    let errors = parse_file(text, 0, 0, &mut program);
    Parse { program, errors }
}

/// Parses all files of the map as one program, as Boogie does with several files.
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

/// Parses a large file in two threads. Gives up if it cannot, and on any error: those are told
/// better by one parser that has seen all.
fn parse_in_two<'s>(
    source: Source<'s>,
    first: Tokens<'s>,
    middle: Tokens<'s>,
) -> Option<Vec<Arc<Decl>>> {
    /// Enough to drop a tree of the greatest height.
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

/// From so many items on, a list may have room to spare: what is not written to takes no memory, but
/// a copy would.
const MANY: usize = 1000;

/// A list without room to spare: most have one or two items, and would have room for four.
fn trimmed<T>(mut items: Vec<T>) -> Vec<T> {
    if items.len() < MANY {
        items.shrink_to_fit();
    }
    items
}

/// A production did not match; the reason has been reported.
#[derive(Debug)]
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'s> {
    text: &'s str,
    base: u32,
    tokens: Tokens<'s>,
    /// The next token. Never behind the last, which is [`TokenKind::End`].
    position: usize,
    dialect: Dialect,
    /// How many nested productions are under way.
    depth: u32,
    /// The height of the expression parsed last.
    height: u32,
    /// The bitvector bounds read last.
    bounds: Option<expr::Bounds>,
    /// Expressions of lists that are not complete yet.
    scratch: Vec<Expr>,
    /// The names so far, to be shared.
    names: FxHashSet<Name>,
    /// Those of the lexer come first.
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

    /// The kind of a token further on, but not much: see [`Tokens::get`].
    fn kind_at(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.position + ahead).kind
    }

    /// The kind of a token that may be far away.
    fn kind_far(&mut self, ahead: usize) -> TokenKind {
        self.tokens.look(self.position + ahead).kind
    }

    /// Goes on to a token.
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

    /// From the first byte of a token up to the end of the one passed last.
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

    /// Runs a production one level further down, on more stack if need be.
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
        // Whatever encloses this is as deep: there is no point in going on from here.
        self.position = self.tokens.end();
        Err(Failed)
    }

    fn gave_up(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    /// One or more things with commas between them.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(TokenKind::Comma) {
            items.push(item(self)?);
        }
        Ok(trimmed(items))
    }

    /// One or more things with commas between them.
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

    /// Things with commas between them, possibly none, up to and with a closing token.
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

    /// Things with commas between them, possibly none, up to and with a closing token.
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

    /// Whether the next token is this word, which is reserved at some places only.
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
