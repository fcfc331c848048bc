//! The flow of control in a body: whether each of its loops has one head.
//!
//! The invariants of a loop stand at its head: the block through which the loop is entered. If jumps
//! enter a loop at several places, nothing in the program says which of them is the head. Boogie 2
//! rejects such a body, and Boogie 3 chooses. This module knows statements, and no operators.

use bpl_syntax::ast::{Body, Decl, Else, Ident, If, Name, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::places::each_body;

/// Whether each loop in a declaration, structured or made of jumps, is entered at one place only.
pub(crate) fn has_clear_loops(decl: &Decl) -> bool {
    let mut all = true;
    each_body(decl, |_, body| all &= is_reducible(&successors(body)));
    all
}

/// The successors of each point of a body that matters to the flow. The first one is the entry.
fn successors(body: &Body) -> Vec<Vec<usize>> {
    let mut flow = Flow::default();
    let (entry, exit) = (flow.point(), flow.point());
    flow.parts.push(Part { code: Code::List(&body.block), entry, exit, frame: None });
    while let Some(part) = flow.parts.pop() {
        match part.code {
            Code::List(list) => flow.list(list, &part),
            Code::If(conditional) => flow.conditional(conditional, &part),
        }
    }
    flow.successors
}

/// A graph under construction.
#[derive(Default)]
struct Flow<'d> {
    successors: Vec<Vec<usize>>,
    labels: FxHashMap<&'d Name, usize>,
    frames: Vec<Frame<'d>>,
    /// The parts that are not yet in the graph. They are not visited by recursion, since programs
    /// nest thousands of levels.
    parts: Vec<Part<'d>>,
}

/// Statements between two points.
struct Part<'d> {
    code: Code<'d>,
    entry: usize,
    exit: usize,
    /// The innermost statement around it that a `break` can leave.
    frame: Option<usize>,
}

#[derive(Clone, Copy)]
enum Code<'d> {
    List(&'d [Stmt]),
    If(&'d If),
}

/// A statement that a `break` can leave.
struct Frame<'d> {
    outer: Option<usize>,
    /// The labels directly on the statement.
    labels: Vec<&'d Name>,
    is_loop: bool,
    /// The point behind the statement.
    after: usize,
}

impl<'d> Flow<'d> {
    fn point(&mut self) -> usize {
        self.successors.push(Vec::new());
        self.successors.len() - 1
    }

    /// Adds an edge, unless the statement before it never ends.
    fn link(&mut self, from: Option<usize>, to: usize) {
        if let Some(from) = from {
            self.successors[from].push(to);
        }
    }

    fn label(&mut self, name: &'d Name) -> usize {
        if let Some(point) = self.labels.get(name) {
            return *point;
        }
        let point = self.point();
        self.labels.insert(name, point);
        point
    }

    /// The point to which a `break` leads.
    fn left_by(&self, label: Option<&Ident>, mut frame: Option<usize>) -> Option<usize> {
        while let Some(Frame { outer, labels, is_loop, after }) = frame.map(|it| &self.frames[it]) {
            if label.map_or(*is_loop, |label| labels.contains(&&label.name)) {
                return Some(*after);
            }
            frame = *outer;
        }
        None
    }

    /// Adds the code inside of a statement.
    fn inside(&mut self, code: Code<'d>, [entry, exit]: [usize; 2], frame: Frame<'d>) {
        self.frames.push(frame);
        let frame = Some(self.frames.len() - 1);
        self.parts.push(Part { code, entry, exit, frame });
    }

    fn list(&mut self, list: &'d [Stmt], part: &Part<'d>) {
        let outer = part.frame;
        let mut at = Some(part.entry);
        let mut labels: Vec<&Name> = Vec::new();
        for stmt in list {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let point = self.label(&label.name);
                    self.link(at, point);
                    at = Some(point);
                    labels.push(&label.name);
                    continue;
                }
                StmtKind::Goto(goto) => {
                    for target in &goto.targets {
                        let point = self.label(&target.name);
                        self.link(at, point);
                    }
                    at = None;
                }
                StmtKind::Return(_) => at = None,
                StmtKind::Break(label) => {
                    if let Some(point) = self.left_by(label.as_ref(), outer) {
                        self.link(at, point);
                    }
                    at = None;
                }
                StmtKind::If(conditional) => {
                    let (entry, after) = (self.point(), self.point());
                    self.link(at, entry);
                    let labels = std::mem::take(&mut labels);
                    let frame = Frame { outer, labels, is_loop: false, after };
                    self.inside(Code::If(conditional), [entry, after], frame);
                    at = Some(after);
                }
                StmtKind::While(repetition) => {
                    let (head, body, after) = (self.point(), self.point(), self.point());
                    self.link(at, head);
                    self.successors[head] = vec![body, after];
                    let labels = std::mem::take(&mut labels);
                    let frame = Frame { outer, labels, is_loop: true, after };
                    self.inside(Code::List(&repetition.block), [body, head], frame);
                    at = Some(after);
                }
                _ => {}
            }
            labels.clear();
        }
        self.link(at, part.exit);
    }

    fn conditional(&mut self, conditional: &'d If, part: &Part<'d>) {
        let Part { entry, exit, frame, .. } = *part;
        let branches = [
            Some(Code::List(&conditional.then_block)),
            conditional.else_branch.as_ref().map(|branch| match branch {
                Else::If(next) => Code::If(next),
                Else::Block(block) => Code::List(block),
            }),
        ];
        for branch in branches {
            let start = self.point();
            self.link(Some(entry), start);
            match branch {
                Some(code) => self.parts.push(Part { code, entry: start, exit, frame }),
                None => self.link(Some(start), exit),
            }
        }
    }
}

/// Whether each loop of a graph is entered at one place only, by Havlak's variant of Tarjan's test:
/// loops are collapsed from the inside to the outside, and nothing may enter one but at its head.
fn is_reducible(successors: &[Vec<usize>]) -> bool {
    let Order { first, last, nodes } = order(successors);
    let is_below =
        |node: usize, head: usize| first[head] <= first[node] && first[node] <= last[head];
    let mut predecessors = vec![Vec::new(); successors.len()];
    for node in &nodes {
        for next in &successors[*node] {
            predecessors[*next].push(*node);
        }
    }
    // The head of the outermost collapsed loop around each point, or a point on the way to it.
    let mut collapsed: Vec<usize> = (0..successors.len()).collect();
    let mut owner = vec![usize::MAX; successors.len()];
    for head in nodes.into_iter().rev() {
        let mut members = Vec::new();
        let mut pending: Vec<usize> =
            predecessors[head].iter().copied().filter(|node| is_below(*node, head)).collect();
        while let Some(node) = pending.pop() {
            let node = find(&mut collapsed, node);
            if !is_below(node, head) {
                return false;
            }
            if node == head || owner[node] == head {
                continue;
            }
            owner[node] = head;
            members.push(node);
            pending.extend(predecessors[node].iter().filter(|from| !is_below(**from, node)));
        }
        for member in members {
            collapsed[member] = head;
        }
    }
    true
}

/// The points that can be reached, in the order in which a search meets them.
struct Order {
    /// The number of each point in this order; the largest number if it is not met.
    first: Vec<usize>,
    /// The number of the last point that is met through it.
    last: Vec<usize>,
    nodes: Vec<usize>,
}

fn order(successors: &[Vec<usize>]) -> Order {
    let (mut first, mut last) = (vec![usize::MAX; successors.len()], vec![0; successors.len()]);
    let mut nodes = vec![0];
    first[0] = 0;
    let mut path = vec![(0, 0)];
    while let Some((node, edge)) = path.last_mut() {
        if let Some(next) = successors[*node].get(*edge).copied() {
            *edge += 1;
            if first[next] == usize::MAX {
                first[next] = nodes.len();
                nodes.push(next);
                path.push((next, 0));
            }
        } else {
            last[*node] = nodes.len() - 1;
            path.pop();
        }
    }
    Order { first, last, nodes }
}

/// The last point of a chain. Shortens the chain on the way.
fn find(collapsed: &mut [usize], mut node: usize) -> usize {
    while collapsed[node] != node {
        collapsed[node] = collapsed[collapsed[node]];
        node = collapsed[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::has_clear_loops;
    use crate::operators::testing::subject;

    #[track_caller]
    fn check(statements: &str, expected: bool) {
        let source = format!("procedure p(a: bool) {{ {statements} }}");
        assert_eq!(has_clear_loops(&subject(&source).decl(0)), expected, "{statements}");
    }

    #[test]
    fn loops_with_one_head_are_clear() {
        for statements in [
            "",
            "while (a) { if (a) { break; } else if (*) { return; } }",
            "k: goto k;",
            "goto h; b: goto h; h: goto b, d; d:",
            "h: goto i; i: goto i, j; j: goto h, k; k:",
            "goto l, m; l: goto n; m: goto n; n: assert a;",
            "o: while (a) { while (a) { break o; } } goto o;",
            "o: if (a) { if (a) { break o; } goto o; } else { goto k; } k:",
            "goto e; k: goto l; l: goto k, e; e:",
            "while (a) { goto x, y; x: goto y; y: break; }",
        ] {
            check(statements, true);
        }
    }

    #[test]
    fn loops_with_two_entries_are_not() {
        for statements in [
            "goto k, l; k: goto l; l: goto k;",
            "if (a) { goto k; } while (a) { k: assert a; }",
            "goto h; h: goto k, l, e; k: goto l, h; l: goto k; e:",
            "goto i, h; h: goto i; i: goto j; j: goto i, k; k: goto h, e; e:",
            "goto k, l; k: o: if (a) { l: goto m; } m: goto k;",
        ] {
            check(statements, false);
        }
    }

    #[test]
    fn unreachable_loops_do_not_count() {
        check("return; k: goto l, m; l: goto m; m: goto l;", true);
        check("return; while (a) { } k: goto l, m; l: goto m; m: goto l;", true);
        check("goto k; while (a) { k: goto l, m; l: goto m; m: goto l; }", false);
    }

    #[test]
    fn deep_and_long_bodies_are_no_problem() {
        let (deep, long) = (3_000, 20_000);
        check(&format!("{}{}", "while (a) { ".repeat(deep), "}".repeat(deep)), true);
        check(&format!("{}{}", "if (a) { } else ".repeat(deep), "if (a) { goto k; } k:"), true);
        let blocks: Vec<String> =
            (0..long).map(|it| format!("k{it}: goto k{}, k0;", it + 1)).collect();
        check(&format!("{} k{long}:", blocks.join(" ")), true);
    }
}
