//! Random bodies: statements, and the facts that hold between them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::shapes::PROBE;
use super::world::{Ty, Var, World};
use super::{mentions, substitute};
use crate::Release;
use crate::random::Random;

/// A body under construction.
pub(super) struct Body<'w> {
    pub(super) world: &'w mut World,
    pub(super) random: &'w mut Random,
    /// The variables in scope.
    pub(super) vars: Vec<Var>,
    /// The variables that may be assigned to.
    pub(super) assignable: BTreeSet<String>,
    /// The facts that hold at this point.
    pub(super) facts: Vec<String>,
    /// The variables written to.
    pub(super) written: BTreeSet<String>,
    /// The facts at each `return`.
    pub(super) returns: Vec<Vec<String>>,
    pub(super) text: String,
    /// Whether everything must be provable.
    pub(super) is_good: bool,
    /// Whether `:start_checking_here` has an effect.
    pub(super) is_selective: bool,
    /// Whether the procedure is inlined, and so has no code expressions.
    pub(super) is_inlined: bool,
    /// The labels of the enclosing loops, innermost last.
    pub(super) loops: Vec<Option<String>>,
}

impl Body<'_> {
    /// Writes a line.
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The probe for an end of the body. In an inlined procedure, it would end the callers as well.
    fn probe(&self) -> String {
        if self.is_inlined { String::new() } else { PROBE.to_string() }
    }

    /// Drops the facts about a variable that gets a new value.
    fn forget(&mut self, name: &str) {
        self.facts.retain(|fact| !mentions(fact, name));
        self.written.insert(name.to_owned());
    }

    fn learn(&mut self, fact: String) {
        if !self.facts.contains(&fact) && fact.len() < 200 {
            self.facts.push(fact);
        }
    }

    /// A variable that may be assigned to, if there is one.
    fn target(&mut self, ty: Option<Ty>) -> Option<Var> {
        let possible: Vec<&Var> = self
            .vars
            .iter()
            .filter(|var| self.assignable.contains(&var.name) && ty.is_none_or(|ty| var.ty == ty))
            .collect();
        if possible.is_empty() { None } else { Some((*self.random.pick(&possible)).clone()) }
    }

    /// Writes some statements.
    pub(super) fn block(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 17 } else { 27 }) {
            0..=2 => self.assign(),
            3 => self.assign_many(),
            4 if self.world.release == Release::Three && self.random.chance(60) => {
                self.assign_fields();
            }
            4 | 5 => self.assign_element(),
            6 | 7 => self.havoc(),
            8 | 9 => self.assertion(),
            10 => self.assertion_chain(),
            11 => self.assumption(),
            12..=14 => self.call(),
            15 | 16 => self.quantified_hypothesis(),
            17..=20 => self.conditional(depth - 1),
            21..=23 => self.while_loop(depth - 1),
            24 | 25 => self.jumps(depth - 1),
            _ => self.early_return(),
        }
    }

    fn assign(&mut self) {
        let Some(var) = self.target(None) else { return };
        let value = self.expr(var.ty, 2);
        self.line(&format!("{} := {value};", var.name));
        self.forget(&var.name);
        if !mentions(&value, &var.name) {
            let fact = match var.ty {
                Ty::Bool => format!("({} <==> {value})", var.name),
                _ => format!("{} == {value}", var.name),
            };
            // Maps are not extensional, but this is an equation between terms.
            self.learn(fact);
        }
    }

    fn assign_many(&mut self) {
        let (Some(a), Some(b)) = (self.target(Some(Ty::Int)), self.target(None)) else { return };
        if a.name == b.name {
            return;
        }
        self.world.has("parallel assignments");
        let (first, second) = (self.int(1), self.expr(b.ty, 1));
        self.line(&format!("{}, {} := {first}, {second};", a.name, b.name));
        self.forget(&a.name);
        self.forget(&b.name);
        if !mentions(&first, &a.name) && !mentions(&first, &b.name) {
            self.learn(format!("{} == {first}", a.name));
        }
    }

    fn assign_element(&mut self) {
        let Some(map) = self.target(Some(Ty::Map)) else { return self.assign() };
        self.world.has("maps");
        let (at, value) = (self.int(1), self.int(1));
        let name = &map.name;
        if self.random.chance(60) {
            self.line(&format!("{name}[{at}] := {value};"));
        } else {
            self.line(&format!("{name} := {name}[{at} := {value}];"));
        }
        self.forget(name);
        if !mentions(&at, name) && !mentions(&value, name) {
            self.learn(format!("{name}[{at}] == {value}"));
        }
    }

    /// Assigns a value of a datatype, and updates or unpacks its fields.
    fn assign_fields(&mut self) {
        let Some(var) = self.target(Some(Ty::Data)) else { return self.assign_element() };
        self.world.has("datatypes");
        let name = var.name;
        self.forget(&name);
        if self.is_good || self.random.chance(60) {
            let value = self.random.below(9);
            self.line(&format!("{name} := D0({value});"));
            self.learn(format!("({name} is D0)"));
            self.learn(format!("{name}->n == {value}"));
        }
        if self.random.chance(60) {
            let value = self.random.below(9);
            if self.random.chance(60) {
                self.line(&format!("{name}->n := {value};"));
            } else {
                self.line(&format!("{name} := {name}->(n := {value});"));
            }
            self.forget(&name);
            self.learn(format!("({name} is D0)"));
            self.learn(format!("{name}->n == {value}"));
        }
        if let Some(part) = self.target(Some(Ty::Int))
            && self.random.chance(60)
        {
            self.world.has("unpacked values");
            self.line(&format!("D0({}) := {name};", part.name));
            self.forget(&part.name);
            self.learn(format!("{} == {name}->n", part.name));
        }
    }

    fn havoc(&mut self) {
        self.world.has("havoc");
        let mut chosen: Vec<Var> = Vec::new();
        for _ in 0..=1 + self.random.below(3) {
            if let Some(var) = self.target(None)
                && chosen.iter().all(|other| other.name != var.name)
            {
                chosen.push(var);
            }
        }
        if chosen.is_empty() {
            return;
        }
        let names: Vec<&str> = chosen.iter().map(|var| var.name.as_str()).collect();
        self.line(&format!("havoc {};", names.join(", ")));
        for var in &chosen {
            self.forget(&var.name);
        }
        for clause in chosen.into_iter().filter_map(|var| var.where_clause) {
            self.learn(clause);
        }
    }

    /// A condition that follows from the facts.
    pub(super) fn known(&mut self) -> String {
        let tautology = self.facts.is_empty() || self.random.chance(30);
        if tautology {
            return self.tautology();
        }
        let fact = self.random.pick(&self.facts).clone();
        match self.random.below(5) {
            0 => format!("({fact} || {})", self.bool(0)),
            1 => {
                let other = self.random.pick(&self.facts).clone();
                format!("({fact} && {other})")
            }
            2 => format!("({} ==> {fact})", self.bool(0)),
            _ => fact,
        }
    }

    /// A condition to assert: it holds, unless the procedure may fail and a random choice says so.
    fn claim(&mut self) -> String {
        if self.is_good || self.random.chance(70) {
            return self.known();
        }
        match self.random.below(4) {
            0 if !self.facts.is_empty() => {
                let fact = self.random.pick(&self.facts).clone();
                format!("!({fact})")
            }
            1 => format!("({}) && {}", self.known(), self.bool(1)),
            _ => self.bool(1),
        }
    }

    /// An attribute of an assertion or assumption, with a space after it.
    fn statement_attribute(&mut self) -> &'static str {
        if !self.random.chance(25) {
            return "";
        }
        let attribute = self.random.word(&[
            "{:msg \"told\"} ",
            "{:subsumption 0} ",
            "{:subsumption 1} ",
            "{:subsumption 2} ",
            "{:split_here} ",
            "{:start_checking_here} ",
            "{:nonsense 3, \"x\"} ",
            "{:verified_under false} ",
            "{:verified_under k0} ",
            "{:sourceloc 1} ",
        ]);
        let attribute = if self.may_split(attribute) { attribute } else { "{:told} " };
        self.note_attribute(attribute)
    }

    /// Whether an attribute is allowed: Boogie 3.5 crashes on some splits of a body.
    fn may_split(&self, attribute: &str) -> bool {
        self.world.release == Release::Two || !attribute.contains("split_here")
    }

    pub(super) fn note_attribute(&mut self, attribute: &'static str) -> &'static str {
        self.world.has(match attribute.trim_start_matches("{:") {
            a if a.starts_with("msg") => ":msg",
            a if a.starts_with("subsumption") => ":subsumption",
            a if a.starts_with("split_here") => ":split_here",
            a if a.starts_with("start_checking_here") => ":start_checking_here",
            a if a.starts_with("verified_under") => ":verified_under",
            a if a.starts_with("InlineAssume") => ":InlineAssume",
            a if a.starts_with("always_assume") => ":always_assume",
            _ => "other attributes",
        });
        attribute
    }

    fn assertion(&mut self) {
        let attribute = self.statement_attribute();
        let claim = self.claim();
        self.line(&format!("assert {attribute}{claim};"));
    }

    /// Writes assertions, each of which follows from the one before.
    fn assertion_chain(&mut self) {
        let Some(var) = self.target(Some(Ty::Int)) else { return self.assertion() };
        let value = self.random.below(6);
        let is_wrong = !self.is_good && self.random.chance(40);
        let name = &var.name;
        if !is_wrong {
            self.line(&format!("{name} := {value};"));
        }
        self.forget(name);
        let mut clauses = chain(name, value, self.random);
        if self.random.chance(50) {
            self.random.shuffle(&mut clauses);
        }
        for clause in clauses {
            let attribute = self.statement_attribute();
            let word = if self.random.chance(15) { "assume" } else { "assert" };
            self.line(&format!("{word} {attribute}{clause};"));
        }
        if !is_wrong {
            self.learn(format!("{name} == {value}"));
        }
    }

    fn assumption(&mut self) {
        self.world.has("assume");
        if self.random.chance(25) {
            let attribute = self.random.word(&[
                "{:captureState \"s\"}",
                "{:start_checking_here}",
                "{:split_here}",
                "{:partition}",
            ]);
            let attribute = if self.may_split(attribute) { attribute } else { "{:told}" };
            self.world.has("assumptions with an attribute");
            return self.line(&format!("assume {attribute} true;"));
        }
        // An assumption that holds changes nothing; one about a new value cannot contradict the
        // facts.
        if self.random.chance(50) {
            let known = self.known();
            return self.line(&format!("assume {known};"));
        }
        let Some(var) = self.target(Some(Ty::Int)) else { return };
        let name = &var.name;
        self.line(&format!("havoc {name};"));
        self.forget(name);
        if let Some(clause) = &var.where_clause {
            self.learn(clause.clone());
        }
        let fact = format!("{name} > {}", self.int(0));
        if !mentions(&fact[name.len()..], name) {
            self.line(&format!("assume {fact};"));
            self.learn(fact);
        }
    }

    /// Writes a quantifier that is assumed and then asserted.
    fn quantified_hypothesis(&mut self) {
        if !self.random.chance(30) {
            return self.assertion();
        }
        self.world.has("quantifiers in bodies");
        let claim = self.random.word(&[
            "(forall q: int, r: bool :: {f4(q, r)} f4(q, r))",
            "(forall q, r: int :: {f1(q, r)} {f0(q), f0(r)} f0(q) < f0(r) + f1(q, r))",
            "(exists q: int, r: bool :: {f4(q, r)} f4(q, r) && q > 3)",
        ]);
        self.line(&format!("if (*) {{ assume {claim}; assert {claim}; assume false; }}"));
    }

    /// Keeps the facts that hold after both of two branches.
    fn join(&mut self, other: &[String]) {
        self.facts.retain(|fact| other.contains(fact));
    }

    fn conditional(&mut self, depth: usize) {
        self.world.has("if");
        let is_free = self.random.chance(15);
        let condition = self.bool(1);
        let label = if self.random.chance(15) { Some(self.world.fresh("L")) } else { None };
        if let Some(label) = &label {
            self.line(&format!("{label}:"));
        }
        let guard = if is_free { "*" } else { &condition };
        self.line(&format!("if ({guard}) {{"));
        let before = self.facts.clone();
        if !is_free {
            self.learn(condition.clone());
        }
        let count = 1 + self.random.below(3);
        self.block(count, depth);
        if let Some(label) = &label
            && self.random.chance(60)
        {
            self.world.has("break out of an if");
            self.line(&format!("break {label};"));
        }
        let mut after = std::mem::replace(&mut self.facts, before.clone());
        match self.random.below(4) {
            0 => {}
            1 => {
                let second = self.bool(1);
                self.line(&format!("}} else if ({second}) {{"));
                self.world.has("else if");
                self.learn(second);
                self.block(2, depth);
                let then = std::mem::replace(&mut self.facts, before);
                after.retain(|fact| then.contains(fact));
                if self.random.chance(50) {
                    self.line("} else {");
                    self.block(1, depth);
                }
            }
            _ => {
                self.line("} else {");
                self.world.has("else");
                if !is_free {
                    self.learn(format!("!({condition})"));
                }
                let count = 1 + self.random.below(2);
                self.block(count, depth);
            }
        }
        self.line("}");
        self.join(&after);
        self.after_structure();
    }

    /// Ensures that a statement that a `break` leaves is not the last one of a loop.
    fn after_structure(&mut self) {
        if !self.loops.is_empty() {
            self.line("scratch := 0;");
            self.written.insert("scratch".to_owned());
        }
    }

    fn while_loop(&mut self, depth: usize) {
        self.world.has("while");
        let Some(counter) = self.target(Some(Ty::Int)) else { return };
        if counter.where_clause.is_some() && self.random.chance(50) {
            return;
        }
        let name = counter.name.clone();
        let start = self.random.below(4);
        self.line(&format!("{name} := {start};"));
        self.forget(&name);
        self.learn(format!("{name} == {start}"));

        let outer = self.assignable.clone();
        let kept: BTreeSet<String> =
            outer.iter().filter(|n| **n != name && self.random.chance(50)).cloned().collect();
        let outer_written = std::mem::take(&mut self.written);
        let is_once = self.random.chance(25);
        let mut changed = kept.clone();
        changed.insert(name.clone());

        let before = self.facts.clone();
        let survives = |fact: &String| {
            !changed.iter().any(|n| mentions(fact, n)) && !mentions(fact, "scratch")
        };
        self.facts.retain(survives);
        let surviving = self.facts.clone();
        let label = if self.random.chance(30) { Some(self.world.fresh("L")) } else { None };
        if let Some(label) = &label {
            self.world.has("labels");
            self.line(&format!("{label}:"));
        }
        let guard = match self.random.below(4) {
            0 => "*".to_owned(),
            1 if is_once => "true".to_owned(),
            _ => format!("{name} < {}", self.random.word(&["9", "c0", "12"])),
        };
        self.line(&format!("while ({guard})"));
        let learnt = self.invariants(&name, start, is_once);
        self.facts.extend(learnt);
        if guard != "*" {
            self.learn(guard.clone());
        }
        self.line("{");
        self.loops.push(label);
        self.assignable = kept;
        let count = 1 + self.random.below(3);
        self.block(count, depth);
        self.leave_early();
        let step = 1 + self.random.below(2);
        self.line(&format!("{name} := {name} + {step};"));
        if is_once {
            self.world.has("loops that run once");
            let exit = random_exit(self.random);
            if exit == "return;" {
                self.returns.push(self.facts.clone());
                let probe = self.probe();
                self.text.push_str(&probe);
            }
            self.line(exit);
        }
        self.loops.pop();
        self.line("}");
        self.assignable = outer;
        self.written.insert(name);
        let written = std::mem::replace(&mut self.written, outer_written);
        self.facts = if is_once { before } else { surviving };
        self.facts.retain(|fact| !written.iter().any(|n| mentions(fact, n)));
        self.written.extend(written);
        self.after_structure();
    }

    /// Writes the invariants of a loop that only increases a counter, and returns the facts that
    /// they add.
    fn invariants(&mut self, name: &str, start: usize, is_once: bool) -> Vec<String> {
        let mut clauses: Vec<String> = Vec::new();
        if self.random.chance(75) {
            clauses.push(format!("{name} >= {start}"));
            clauses.push(format!("{name} > {start} - 2"));
        }
        if !self.facts.is_empty() && self.random.chance(40) {
            clauses.push(self.random.pick(&self.facts).clone());
        }
        if self.random.chance(30) {
            clauses.push(self.tautology());
        }
        if !self.is_good && self.random.chance(50) {
            clauses.push(format!("{name} <= {}", start + self.random.below(4)));
        }
        if is_once || self.random.chance(25) {
            clauses.push(format!("{name} <= {}", start + 1));
            clauses.push(format!("{name} <= {}", start + 2));
        }
        if self.random.chance(30) {
            self.random.shuffle(&mut clauses);
        }
        if self.random.chance(10) {
            self.assuming_invariants(is_once);
        }
        let mut learnt = Vec::new();
        for clause in clauses {
            let is_free = self.random.chance(20);
            let attribute = self.invariant_attribute();
            let word = if is_free { "free invariant" } else { "invariant" };
            if is_free {
                self.world.has("free invariants");
            }
            self.line(&format!("  {word} {attribute}{clause};"));
            if clause.contains('>') && clause.starts_with(name) {
                learnt.push(clause);
            }
        }
        learnt
    }

    /// Writes invariants of which one is assumed where it stands, and another follows only from it.
    fn assuming_invariants(&mut self, is_once: bool) {
        let Some(variable) = self.variable(Ty::Int) else { return };
        let bound = self.random.below(9);
        let (strong, weak) = (format!("{variable} > {bound}"), format!("{variable} >= {bound}"));
        let mut lines = if self.is_selective && self.random.chance(70) {
            self.world.has(":start_checking_here");
            vec![
                format!("invariant {strong};"),
                format!("invariant {{:start_checking_here}} {variable} == {variable};"),
            ]
        } else if is_once && self.random.chance(60) {
            self.world.has("free invariants");
            vec![format!("free invariant {strong};"), format!("invariant {weak};")]
        } else {
            self.world.has(":verified_under");
            vec![
                format!("invariant {{:verified_under true}} {strong};"),
                format!("invariant {weak};"),
            ]
        };
        if self.random.chance(50) {
            let place = self.random.below(3);
            lines.insert(place, "invariant 0 == 0;".to_owned());
        }
        for line in lines {
            self.line(&line);
        }
    }

    fn invariant_attribute(&mut self) -> &'static str {
        if !self.random.chance(20) {
            return "";
        }
        let attribute = self.random.word(&[
            "{:verified_under true} ",
            "{:verified_under false} ",
            "{:start_checking_here} ",
            "{:msg \"inv\"} ",
            "{:subsumption 0} ",
            "{:nonsense 1} ",
        ]);
        self.note_attribute(attribute)
    }

    /// May write a `break` under a condition.
    fn leave_early(&mut self) {
        if !self.random.chance(40) {
            return;
        }
        let condition = self.bool(0);
        let labels: Vec<String> = self.loops.iter().flatten().cloned().collect();
        let exit = if !labels.is_empty() && self.random.chance(60) {
            self.world.has("break with a label");
            format!("break {};", self.random.pick(&labels))
        } else {
            self.world.has("break");
            "break;".to_owned()
        };
        self.line(&format!("if ({condition}) {{ {exit} }}"));
    }

    fn early_return(&mut self) {
        self.world.has("return");
        let condition = self.bool(1);
        self.returns.push(self.facts.clone());
        let probe = self.probe();
        self.line(&format!("if ({condition}) {{ {probe}return; }}"));
        self.after_structure();
    }

    fn jumps(&mut self, depth: usize) {
        self.world.has("goto");
        match self.random.below(8) {
            0 | 1 => return self.loop_by_jumps(),
            2..=4 => return self.blocks_in_any_order(depth),
            _ => {}
        }
        let labels: Vec<String> = (0..3).map(|_| self.world.fresh("L")).collect();
        let [a, b, end] = labels.as_slice() else { return };
        self.line(&format!("goto {a}, {b};\n{a}:"));
        let before = self.facts.clone();
        self.block(2, depth);
        self.line(&format!("goto {end};\n{b}:"));
        let after = std::mem::replace(&mut self.facts, before);
        self.block(1, depth);
        if self.random.chance(50) {
            self.line(&format!("goto {end};"));
        }
        self.line(&format!("{end}:"));
        self.join(&after);
        self.line("scratch := 1;");
        self.written.insert("scratch".to_owned());
    }

    /// Writes blocks that are entered and left by jumps only: three to choose from, of which one jumps
    /// to a fourth.
    fn blocks_in_any_order(&mut self, depth: usize) {
        self.world.has("blocks in any order");
        let labels: Vec<String> = (0..5).map(|_| self.world.fresh("L")).collect();
        let [a, b, c, d, end] = labels.as_slice() else { return };
        let mut targets = vec![a, b, c];
        self.random.shuffle(&mut targets);
        self.line(&format!("goto {}, {}, {};", targets[0], targets[1], targets[2]));
        let before = std::mem::take(&mut self.text);
        let at_start = self.facts.clone();
        let mut at_ends: Vec<Vec<String>> = Vec::new();
        let mut blocks: Vec<String> = Vec::new();
        for (label, next) in [(a, end), (b, end), (c, d), (d, end)] {
            if label != d {
                self.facts.clone_from(&at_start);
            }
            self.line(&format!("{label}:"));
            let count = 1 + self.random.below(2);
            self.block(count, depth);
            if next == end {
                at_ends.push(self.facts.clone());
            }
            // The language allows one label to be named twice.
            let twice = if self.random.chance(20) { format!(", {next}") } else { String::new() };
            self.line(&format!("goto {next}{twice};"));
            blocks.push(std::mem::take(&mut self.text));
        }
        self.random.shuffle(&mut blocks);
        self.text = before + &blocks.concat();
        self.line(&format!("{end}:"));
        for facts in &at_ends {
            self.join(facts);
        }
        self.line("scratch := 1;");
        self.written.insert("scratch".to_owned());
    }

    /// Writes a loop made of labels and jumps.
    fn loop_by_jumps(&mut self) {
        let Some(counter) = self.target(Some(Ty::Int)) else { return };
        let name = counter.name;
        let labels: Vec<String> = (0..3).map(|_| self.world.fresh("L")).collect();
        let [head, body, end] = labels.as_slice() else { return };
        self.world.has("loops by goto");
        self.line(&format!("{name} := 0;\ngoto {head};\n{head}:"));
        self.forget(&name);
        self.line(&format!("assert {name} >= 0;"));
        if self.random.chance(40) {
            self.line(&format!("assume {name} >= -3;"));
        }
        let (first, second) = if self.random.chance(50) { (body, end) } else { (end, body) };
        self.line(&format!("goto {first}, {second};"));
        if self.random.chance(50) {
            self.line(&format!("{body}:\n{name} := {name} + 2;\ngoto {head};"));
        } else {
            let odd = self.world.fresh("L");
            let even = self.world.fresh("L");
            self.line(&format!("{odd}:\n{name} := {name} + 1;\ngoto {head}, {even};"));
            self.line(&format!("{body}:\n{name} := {name} + 2;\ngoto {even}, {head}, {odd};"));
            self.line(&format!("{even}:\ngoto {head};"));
        }
        self.line(&format!("{end}:"));
        self.learn(format!("{name} >= 0"));
        self.line("scratch := 2;");
        self.written.insert("scratch".to_owned());
    }

    fn call(&mut self) {
        if self.world.callees.is_empty() {
            return self.assertion();
        }
        let callee = self.random.pick(&self.world.callees).clone();
        let may_change = |name: &String| self.assignable.contains(name);
        if !callee.modifies.iter().all(may_change) {
            return self.assertion();
        }
        let mut targets: Vec<String> = Vec::new();
        for out in &callee.outs {
            match self.target(Some(out.ty)) {
                Some(var)
                    if !targets.contains(&var.name) && !callee.modifies.contains(&var.name) =>
                {
                    targets.push(var.name);
                }
                _ => return self.assertion(),
            }
        }
        let is_free = self.random.chance(8);
        let keeps = self.is_good || self.random.chance(60);
        let arguments: Vec<String> = (0..callee.ins.len())
            .map(|index| {
                if keeps {
                    callee.witnesses[index].clone()
                } else {
                    self.expr(callee.ins[index].ty, 1)
                }
            })
            .collect();
        self.world.has(if is_free { "free calls" } else { "calls" });
        let word = if is_free { "free call" } else { "call" };
        let attribute = if self.random.chance(8) { "{:told 1} " } else { "" };
        let assigned =
            if targets.is_empty() { String::new() } else { format!("{} := ", targets.join(", ")) };
        self.line(&format!(
            "{word} {attribute}{assigned}{}({});",
            callee.name,
            arguments.join(", ")
        ));
        for name in targets.iter().chain(&callee.modifies) {
            self.forget(name);
        }
        let is_plain = |argument: &String| !targets.iter().any(|target| mentions(argument, target));
        if !arguments.iter().all(is_plain) {
            return;
        }
        for clause in &callee.ensures {
            let mut fact = clause.clone();
            // In two steps, because a target may have the name of a parameter.
            for (index, var) in callee.ins.iter().chain(&callee.outs).enumerate() {
                fact = substitute(&fact, &var.name, &format!("\u{1}{index}\u{2}"));
            }
            for (index, actual) in arguments.iter().chain(&targets).enumerate() {
                fact = fact.replace(&format!("\u{1}{index}\u{2}"), &format!("({actual})"));
            }
            self.learn(fact);
        }
    }

    /// The declarations of local variables and the statements.
    pub(super) fn finish(mut self, groups: &[String]) -> String {
        let probe = self.probe();
        self.text.push_str(&probe);
        let mut text = String::from("{\n");
        for group in groups {
            let _ = writeln!(text, "var {group};");
        }
        text + &self.text + "}\n"
    }
}

/// The statement that leaves a loop that runs once.
fn random_exit(random: &mut Random) -> &'static str {
    random.word(&["break;", "break;", "return;", "assume false;"])
}

/// Clauses about a variable with a known value, each of which follows from the one before.
pub(super) fn chain(name: &str, value: usize, random: &mut Random) -> Vec<String> {
    let mut clauses = vec![format!("{name} == {value}"), format!("{name} > {value} - 1")];
    clauses.push(format!("{name} >= {value} - 2"));
    clauses.push(format!("{name} != {value} - 3"));
    let first = random.below(2);
    let count = 2 + random.below(3);
    clauses.into_iter().skip(first).take(count).collect()
}
