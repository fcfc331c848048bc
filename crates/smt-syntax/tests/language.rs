//! The language as solvers read it, row by row: lexis, commands, terms, annotations, datatypes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use smt_syntax::declare::What;
use smt_syntax::lex::{TokenKind, tokens};
use smt_syntax::scope::{Fault, Live};
use smt_syntax::{
    AtomKind, Class, Declarations, Dialect, Kind, NodeId, Role, Roles, Scopes, Script, Symbols,
    SyntaxErrorKind, print,
};

fn parse(text: &str) -> Script {
    Script::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The texts of the words of a text with their kinds.
fn words(text: &str) -> Vec<(TokenKind, &str)> {
    let solid = tokens(text.as_bytes()).filter(|token| !token.kind.is_space());
    solid.map(|token| (token.kind, &text[token.start..token.end])).collect()
}

fn printed(text: &str) -> String {
    String::from_utf8(print::script(&parse(text))).unwrap()
}

#[track_caller]
fn fails(text: &[u8], line: usize, column: usize, kind: &SyntaxErrorKind) {
    let error = Script::parse(text).unwrap_err();
    assert_eq!((error.line, error.column, &error.kind), (line, column, kind), "{error}");
}

/// The roles of the atoms of a script with their texts.
fn roles(text: &str) -> Vec<(String, Role)> {
    let script = parse(text);
    let roles = Roles::new(&script);
    let atoms = (0..).take(script.nodes().len()).filter(|&node| !script.is_list(node));
    let text = |node| String::from_utf8_lossy(script.text(node)).into_owned();
    atoms.map(|node: NodeId| (text(node), roles.of(node))).collect()
}

/// The role of each occurrence of an atom.
fn role_of(text: &str, atom: &str) -> Vec<Role> {
    roles(text).into_iter().filter(|(text, _)| text == atom).map(|(_, role)| role).collect()
}

#[test]
fn white_space_and_comments_are_between_words() {
    assert_eq!(printed("\r\n\t(a\r\n;)(\n b)\x0c;"), "(a b)\n");
    assert_eq!(printed("(a \"; x\" |; y|) ; z"), "(a \"; x\" |; y|)\n");
    assert_eq!(printed(""), "");
    fails(b"\xef\xbb\xbf(a)", 1, 1, &SyntaxErrorKind::ByteOrderMark);
}

#[test]
fn simple_symbols() {
    use TokenKind::{Keyword, Quoted, Symbol};
    for symbol in ["x", "~!@$%^&*_-+=<>.?/", "@x0", ".y", "a1", "-", "-a", "x@@3", "a,b", "T@U"] {
        assert_eq!(words(symbol), [(TokenKind::Symbol, symbol)]);
    }
    for bad in ["'", "`", "[", "]", "{", "}", "\\", "é", "\u{1}", "\u{b}"] {
        let text = format!("(a\n x{bad}y)");
        fails(text.as_bytes(), 2, 3, &SyntaxErrorKind::IllegalCharacter(bad.as_bytes()[0]));
    }
    assert_eq!(words("a:b"), [(Symbol, "a"), (Keyword, ":b")]);
    assert_eq!(words("a|b|c"), [(Symbol, "a"), (Quoted, "|b|"), (Symbol, "c")]);
    assert_eq!(words(": :a:b"), [(Keyword, ":"), (Keyword, ":a"), (Keyword, ":b")]);
}

#[test]
fn quoted_symbols() {
    for symbol in ["|a b|", "|;|", "|(\n)|", "|é|", "||", "|\\|", "|a\\| b|", "|a\\||"] {
        let expected = if symbol == "|\\|" { TokenKind::OpenQuoted } else { TokenKind::Quoted };
        assert_eq!(words(symbol), [(expected, symbol)]);
    }
    let script = parse("(a |x| x || |5| |\"|)");
    let symbols: Vec<_> = script.children(0).map(|node| script.symbol(node)).collect();
    let expected: [&[u8]; 6] = [b"a", b"x", b"x", b"", b"5", b"\""];
    assert_eq!(symbols, expected.map(Some));
    let symbols = Symbols::new(&script);
    assert_eq!(symbols.at(2), symbols.at(3));
    assert_eq!(symbols.len(), 5);
    assert_eq!(symbols.find(b"5").map(|five| symbols.name(five)), Some(&b"5"[..]));
    assert_eq!(symbols.find(b"y"), None);
    assert_eq!(Script::parse(&b"(a |\xff\xfe|)"[..]).unwrap().symbol(2), Some(&b"\xff\xfe"[..]));
    fails(b"(a\n  |b)", 2, 3, &SyntaxErrorKind::UnclosedSymbol);
}

#[test]
fn numbers_and_literals() {
    use TokenKind::{Binary, Hash, Hexadecimal, Illegal, Negative, Number, Symbol};
    for number in ["0", "007", "1.5", "1."] {
        assert_eq!(words(number), [(Number, number)]);
    }
    for number in ["-5", "-5.0", "-5."] {
        assert_eq!(words(number), [(Negative, number)]);
    }
    assert_eq!(words("1e3"), [(Number, "1"), (Symbol, "e3")]);
    assert_eq!(words("1.2.3"), [(Number, "1.2"), (Symbol, ".3")]);
    assert_eq!(words("-5a"), [(Symbol, "-5a")]);
    assert_eq!(words("#xaF #b01"), [(Hexadecimal, "#xaF"), (Binary, "#b01")]);
    assert_eq!(words("#b12"), [(Binary, "#b1"), (Number, "2")]);
    assert_eq!(words("#f3m5"), [(Hash, "#f3m5")]);
    assert_eq!(words("#x"), [(Illegal, "#"), (Symbol, "x")]);
    fails(b"(a #)", 1, 4, &SyntaxErrorKind::BadHash);
    let script = parse("(a 1 -1 #b1 \"\" :k () |-1| -1a)");
    let kinds: Vec<_> = script.children(0).map(|node| script.atom_kind(node)).collect();
    let first = [
        AtomKind::Symbol,
        AtomKind::Number,
        AtomKind::Negative,
        AtomKind::Hash,
        AtomKind::String,
        AtomKind::Keyword,
    ];
    let expected: Vec<_> =
        first.map(Some).into_iter().chain([None, Some(AtomKind::Symbol)]).collect();
    assert_eq!(kinds[..8], expected);
    assert_eq!(kinds[8], Some(AtomKind::Symbol));
}

#[test]
fn strings() {
    for string in ["\"\"", "\"a\"\"b\"", "\"\\\"", "\"(;|\n\"", "\"\\u{41}\""] {
        assert_eq!(words(string), [(TokenKind::String, string)]);
    }
    fails(b"(a \"b\"\")", 1, 4, &SyntaxErrorKind::UnclosedString);
    assert_eq!(printed("(a \"b\0\" |\0|)"), "(a \"b\0\" |\0|)\n");
    fails(b"\x1f\x8b\x08\0", 1, 1, &SyntaxErrorKind::IllegalCharacter(0x1f));
    fails(b"(a)\0", 1, 4, &SyntaxErrorKind::Binary);
    assert_eq!(printed("(a) ; \0"), "(a)\n");
}

#[test]
fn the_top_level_has_lists_only() {
    fails(b"(a)\n b", 2, 2, &SyntaxErrorKind::AtomAtTopLevel);
    fails(b"(a)\n )", 2, 2, &SyntaxErrorKind::Unopened);
    fails(
        "(a)\n (\u{e9} (c".replace('\u{e9}', "|\u{e9}|").as_bytes(),
        2,
        7,
        &SyntaxErrorKind::Unclosed,
    );
    assert_eq!(printed("()((a))(\"b\")"), "()\n((a))\n(\"b\")\n");
    let script = parse("()((a))(b)");
    assert!(script.commands().iter().all(|command| command.kind == Kind::Other));
    let script = parse("\u{200b}; x\n\u{e9}(a)\u{200b}(b)");
    assert_eq!(script.commands()[0].kind, Kind::Stray);
    assert_eq!(print::script(&script), "\u{200b}\n\u{e9}\n(a)\n\u{200b}\n(b)\n".as_bytes());
    let error = Script::parse(&b"(a"[..]).unwrap_err();
    assert_eq!(error.to_string(), "1:1: this parenthesis is never closed; is the file complete?");
}

#[test]
fn the_text_after_exit_is_not_read() {
    let script = parse("(a)(exit)(b) ] (c)");
    assert_eq!(script.commands().len(), 3);
    assert_eq!(script.unread().unwrap().offset, 13);
    assert_eq!(print::script(&script), b"(a)\n(exit)\n(b)\n");
    assert_eq!(print::script(&parse("(exit)((x")), b"(exit)\n");
    fails(b"(exit 1) ]", 1, 10, &SyntaxErrorKind::IllegalCharacter(b']'));
}

#[test]
fn a_million_parentheses() {
    let depth = 1_000_000;
    let text = format!("(assert {}x{})", "(not ".repeat(depth), ")".repeat(depth));
    let script = parse(&text);
    assert_eq!(script.nodes().len(), 2 * depth + 3);
    let first = print::script(&script);
    assert!(first.len() < 20 * text.len());
    let again = Script::parse(first.as_slice()).unwrap();
    assert_eq!(print::script(&again), first);
    let symbols = Symbols::new(&script);
    let roles = Roles::new(&script);
    assert_eq!(Declarations::new(&script, &symbols, &roles).mentions(0).len(), 2);
}

#[test]
fn every_command_has_its_class() {
    for (class, names) in [
        (
            Class::Declaration,
            "declare-fun declare-const declare-sort define-fun define-fun-rec define-funs-rec \
             define-const define-sort declare-datatype declare-datatypes declare-sort-parameter",
        ),
        (
            Class::Assertion,
            "assert assert-not assert-soft minimize maximize declare-rel declare-var rule",
        ),
        (Class::Check, "check-sat check-sat-assuming check-sat-using query apply"),
        (Class::Scope, "push pop reset reset-assertions"),
        (Class::Setting, "set-option set-logic set-info"),
        (
            Class::Output,
            "get-info get-model get-value get-unsat-core get-unsat-assumptions get-proof \
             get-assignment get-option get-assertions echo labels eval display simplify help",
        ),
        (Class::End, "exit"),
        (Class::File, "include"),
        (Class::Unknown, "no-such-command"),
    ] {
        for name in names.split(' ') {
            let script = parse(&format!("(|{name}|)"));
            assert_eq!(script.commands()[0].kind.class(), class, "{name}");
        }
    }
    for &kind in Kind::ALL {
        assert_eq!(Kind::of(kind.name().as_bytes()), kind);
    }
}

#[test]
fn only_declarations_asserts_and_notes_are_no_barriers() {
    let text = "(set-logic ALL)(declare-const p Bool)(assert p)(set-info :a b)(assert-soft p)(assert p)\
                (check-sat)(get-model)(push)(assert p)(exit)(assert p)";
    let script = parse(text);
    let scopes = Scopes::new(&script, Dialect::Z3);
    let segments: Vec<_> = scopes.places().iter().map(|place| place.segment).collect();
    let (none, zero, one, two) = (None, Some(0), Some(1), Some(2));
    assert_eq!(segments[..6], [none, zero, zero, zero, none, one]);
    assert_eq!(segments[6..], [none, none, none, two, none, none]);
    assert!(scopes.at(11).exited && !scopes.at(10).exited);
    assert_eq!(scopes.checks(), [6]);
}

/// The commands that are live at the last check, as they would be written.
fn live(text: &str, dialect: Dialect) -> String {
    let script = parse(text);
    let scopes = Scopes::new(&script, dialect);
    let show = |live: &Live| match live.scopes {
        Some(scopes) => format!("(push {scopes})"),
        None => String::from_utf8_lossy(script.text(script.commands()[live.command].node)).into(),
    };
    scopes.live(scopes.checks().len() - 1).iter().map(show).collect()
}

#[test]
fn scopes_end_with_pop() {
    for (text, expected) in [
        (
            "(assert a)(push)(assert b)(pop)(check-sat)(assert c)(check-sat)",
            "(assert a)(assert c)(check-sat)",
        ),
        (
            "(push)(push 2)(assert a)(pop 1)(assert b)(check-sat)",
            "(push 1)(push 1)(assert b)(check-sat)",
        ),
        ("(push 2)(push)(assert a)(pop 2)(assert b)(check-sat)", "(push 1)(assert b)(check-sat)"),
        (
            "(push)(set-option :a b)(declare-const x Int)(pop)(check-sat)",
            "(set-option :a b)(check-sat)",
        ),
        (
            "(set-option :global-decls true)(push)(declare-const x Int)(assert x)(pop)(check-sat)",
            "(set-option :global-decls true)(declare-const x Int)(check-sat)",
        ),
        (
            "(push)(set-logic A)(pop 1)(pop)(push x)(push -1)(push 0)(check-sat)",
            "(set-logic A)(push 0)(check-sat)",
        ),
        (
            "(push)(assert a)(push)(check-sat)(get-model)(exit)(pop)",
            "(push 1)(assert a)(push 1)(check-sat)",
        ),
    ] {
        assert_eq!(live(text, Dialect::Z3), expected);
        assert_eq!(live(text, Dialect::Cvc5), expected);
    }
}

#[test]
fn resets_are_those_of_the_solver() {
    let reset = "(set-option :a b)(set-logic A)(assert a)(push)(reset)(assert b)(check-sat)";
    assert_eq!(live(reset, Dialect::Z3), "(set-option :a b)(assert b)(check-sat)");
    assert_eq!(live(reset, Dialect::Cvc5), "(assert b)(check-sat)");
    let some = "(declare-const p Bool)(assert p)(push)(declare-const q Bool)(assert q)(reset-assertions)(assert r)";
    let inside = format!("{some}(check-sat)");
    let z3 = "(declare-const p Bool)(push 1)(declare-const q Bool)(assert r)(check-sat)";
    assert_eq!(live(&inside, Dialect::Z3), z3);
    assert_eq!(live(&inside, Dialect::Cvc5), "(assert r)(check-sat)");
    let outside = format!("{some}(pop)(check-sat)");
    assert_eq!(live(&outside, Dialect::Z3), "(declare-const p Bool)(check-sat)");
    assert_eq!(live(&outside, Dialect::Cvc5), "(assert r)(check-sat)");
}

#[test]
fn faults_of_scopes_are_data() {
    let text = "(push 2)(pop 3)(pop 1.0)(push 1 1)(push |1|)(push 99999999999)(pop 2)(pop)";
    let scopes = Scopes::new(&parse(text), Dialect::Z3);
    let (below, bad) = (Fault::PopBelowZero, Fault::BadCount);
    assert_eq!(scopes.faults(), [(1, below), (2, bad), (3, bad), (4, bad), (5, bad), (7, below)]);
    assert_eq!(scopes.at(6).depth, 2);
    assert_eq!(scopes.live(0), []);
    let huge = "(push 4000000000)".repeat(1000);
    assert_eq!(Scopes::new(&parse(&huge), Dialect::Z3).at(999).depth, 999 * 4_000_000_000);
}

#[test]
fn terms() {
    use Role::{Binder, BinderSort, IndexedName, LetName, MatchPattern, Operator, Reference, Sort};
    let let_term = "(assert (let ((x (f x)) (y x)) (g x)))";
    assert_eq!(role_of(let_term, "x"), [LetName, Role::Term, Role::Term, Role::Term]);
    assert_eq!(role_of(let_term, "y"), [LetName]);
    assert_eq!(role_of(let_term, "f"), [Operator]);
    for word in ["forall", "exists", "lambda", "choice"] {
        let text = format!("(assert ({word} ((x (L S)) (y T)) (p x)))");
        assert_eq!(role_of(&text, word), [Role::Syntax]);
        assert_eq!(role_of(&text, "x"), [Binder, Role::Term]);
        assert_eq!(role_of(&text, "T"), [BinderSort]);
        assert_eq!(role_of(&text, "S"), [Sort]);
    }
    assert_eq!(role_of("(assert (choice x))", "choice"), [Operator]);
    let indexed = "(assert ((_ extract 7 0) (_ bv8 32)))";
    assert_eq!(role_of(indexed, "extract"), [IndexedName]);
    assert_eq!(role_of(indexed, "7"), [Role::Index]);
    for word in ["is", "map", "as-array", "update-field"] {
        assert_eq!(role_of(&format!("(assert ((_ {word} c) x))"), "c"), [Reference]);
    }
    assert_eq!(role_of("(assert (f (as nil (L Int)) ((as g S) 1)))", "nil"), [Role::Term]);
    assert_eq!(role_of("(assert ((as g S) 1))", "g"), [Operator]);
    assert_eq!(role_of("(assert ((as g S) 1))", "S"), [Sort]);
    let cases = "(assert (match t ((nil a) ((cons h t) b) (x c))))";
    assert_eq!(role_of(cases, "nil"), [MatchPattern]);
    assert_eq!(role_of(cases, "cons"), [Operator]);
    assert_eq!(role_of(cases, "t"), [Role::Term, Binder]);
    assert_eq!(role_of(cases, "x"), [MatchPattern]);
    assert_eq!(role_of("(assert ((_ map (f (Int) Int)) x))", "f"), [Reference]);
}

#[test]
fn annotations() {
    use Role::{AttributeName, AttributeValue, Named, Operator};
    let text =
        "(assert (! (forall ((x S)) (! (p x) :pattern ((q x) (r x)) :no-pattern (s x) :weight 0
        :qid |a b| :skolemid p :lblpos p :foo)) :named p))";
    assert_eq!(role_of(text, "p"), [Operator, AttributeValue, AttributeValue, Named]);
    assert_eq!(role_of(text, "0"), [AttributeValue]);
    assert_eq!(role_of(text, "|a b|"), [AttributeValue]);
    assert_eq!(role_of(text, ":foo"), [AttributeName]);
    assert_eq!(role_of(text, "q"), [Operator]);
    let script = parse(text);
    let roles = Roles::new(&script);
    let inside = (0..).take(script.nodes().len()).filter(|&node| roles.in_pattern(node));
    let atoms: Vec<_> = inside.filter(|&node| !script.is_list(node)).collect();
    let texts: Vec<_> = atoms.iter().map(|&node| script.text(node)).collect();
    assert_eq!(texts, [&b"q"[..], b"x", b"r", b"x", b"s", b"x"]);
    assert_eq!(role_of("(set-info :status sat)", "sat"), [AttributeValue]);
}

/// The declared names of a script and what they are.
fn declared(text: &str) -> Vec<(String, What)> {
    let script = parse(text);
    let symbols = Symbols::new(&script);
    let declarations = Declarations::new(&script, &symbols, &Roles::new(&script));
    let all = (0..script.commands().len()).flat_map(|command| declarations.of(command));
    let name = |symbol| String::from_utf8_lossy(symbols.name(symbol)).into_owned();
    all.map(|declared| (name(declared.symbol), declared.what)).collect()
}

#[test]
fn datatypes() {
    use What::{Constructor, Selector, Sort, Tester};
    let expected = [
        ("L", Sort),
        ("nil", Constructor),
        ("cons", Constructor),
        ("is-cons", Tester),
        ("hd", Selector),
        ("tl", Selector),
    ];
    let expected = expected.map(|(name, what)| (name.to_owned(), what));
    for form in [
        "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))",
        "(declare-datatypes ((|L| 0)) (((nil) (cons (hd Int) (tl L)))))",
        "(declare-datatypes (T) ((L nil (cons (hd T) (tl L)))))",
        "(declare-datatypes () ((L (nil) (cons (hd Int) (tl L)))))",
        "(declare-datatype L ((nil) (cons (hd Int) (tl L))))",
        "(declare-datatype L (par (T) ((nil) (cons (hd T) (tl (L T))))))",
        "(declare-codatatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))",
    ] {
        assert_eq!(declared(&format!("{form}(assert (is-cons x))")), expected, "{form}");
    }
    let same = declared("(declare-datatypes ((D 0)) (((D (s Int)))))");
    assert_eq!(same.iter().map(|it| it.1).collect::<Vec<_>>(), [Sort, Constructor, Selector]);
    let two = declared("(declare-datatypes ((A 0) (B 0)) (((a (b B))) ((c))))");
    assert_eq!(two.iter().map(|it| it.0.as_str()).collect::<String>(), "ABabc");
}

#[test]
fn declarations_and_mentions() {
    use What::{Function, Named, Relation, Sort, Variable};
    let expected = [("S", Sort), ("T", Sort), ("f", Function), ("c", Function), ("g", Function)];
    let more = [("h", Function), ("i", Function), ("j", Function), ("k", Function), ("n", Named)];
    let last = [("r", Relation), ("v", Variable)];
    let text = "(declare-sort S 0)(define-sort T (X) (Array X S))(declare-fun f (S Int) (T S))\
        (declare-const c S)(define-fun g ((x S)) S x)(define-fun-rec h ((x S)) S (h x))\
        (define-funs-rec ((i ((x S)) S) (j () S)) ((g x) c))(define-const k S c)\
        (assert (! (= c k c) :named n))(declare-rel r (S))(declare-var v S)";
    let expected: Vec<_> = expected.iter().chain(&more).chain(&last).copied().collect();
    let found = declared(text);
    assert_eq!(
        found.iter().map(|(name, what)| (name.as_str(), *what)).collect::<Vec<_>>(),
        expected
    );

    let script = parse(text);
    let symbols = Symbols::new(&script);
    let declarations = Declarations::new(&script, &symbols, &Roles::new(&script));
    let names = |command| -> Vec<&[u8]> {
        declarations.mentions(command).iter().map(|&symbol| symbols.name(symbol)).collect()
    };
    assert_eq!(names(1), [&b"Array"[..], b"X", b"S"]);
    assert_eq!(names(8), [&b"="[..], b"c", b"k"]);
    let symbol = |name: &[u8]| symbols.find(name).unwrap();
    assert_eq!(declarations.declared_by(symbol(b"c")), [3]);
    assert_eq!(declarations.mentioned_by(symbol(b"c")), [6, 7, 8]);
    assert_eq!(declarations.mentioned_by(symbol(b"x")), [4, 5, 6]);
    assert_eq!(declarations.mentioned_by(symbol(b"n")), []);
}

#[test]
fn names_are_not_commands() {
    let text = "(declare-fun push (Int) Int)(push 1)(assert (= (push 1) (match 2)))";
    let script = parse(text);
    let scopes = Scopes::new(&script, Dialect::Z3);
    assert_eq!(scopes.at(2).depth, 1);
    assert_eq!(role_of(text, "push"), [Role::Name, Role::CommandName, Role::Operator]);
}

#[test]
fn long_commands_are_broken() {
    let text =
        "(assert (! (forall ((x Int)(y Int)) (! (and p q (f x y) (g x y) r (h (+ x y) (* x y)))
        :qid |a.1:2| :pattern ((f x y)) :pattern ((g x y)))) :named n)) (check-sat)";
    let expected = "\
(assert
  (!
    (forall ((x Int) (y Int))
      (! (and p q (f x y) (g x y) r (h (+ x y) (* x y)))
        :qid |a.1:2|
        :pattern ((f x y))
        :pattern ((g x y))))
    :named n))
(check-sat)
";
    assert_eq!(printed(text), expected);
    assert_eq!(printed(expected), expected);
}
