//! Random expressions: quantifier-free and linear, or quantified and trivial.

use super::body::Body;
use super::world::Ty;
use crate::Release;

impl Body<'_> {
    /// A variable of a type, if there is one.
    pub(super) fn variable(&mut self, ty: Ty) -> Option<String> {
        let names: Vec<&str> =
            self.vars.iter().filter(|v| v.ty == ty).map(|v| v.name.as_str()).collect();
        if names.is_empty() { None } else { Some((*self.random.pick(&names)).to_owned()) }
    }

    /// An expression of a type.
    pub(super) fn expr(&mut self, ty: Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Bool => self.bool(depth),
            Ty::Bv8 => self.bv8(depth),
            Ty::Real => self.real(depth),
            Ty::Map => self.map(depth),
            Ty::U => {
                let known = self.variable(Ty::U);
                known.unwrap_or_else(|| self.random.word(&["u0", "u1", "u2"]).to_owned())
            }
            Ty::Data => self.data(),
        }
    }

    /// An integer.
    pub(super) fn int(&mut self, depth: usize) -> String {
        let leaf = |body: &mut Self| match body.random.below(4) {
            0 => body.random.below(9).to_string(),
            1 => body.random.pick(&body.world.constants).0.clone(),
            _ => body.variable(Ty::Int).unwrap_or_else(|| body.random.below(5).to_string()),
        };
        if depth == 0 {
            return leaf(self);
        }
        match self.random.below(15) {
            0 | 1 => format!("{} + {}", self.int(depth - 1), self.int(0)),
            2 => format!("{} - {}", self.int(depth - 1), leaf(self)),
            3 => format!("{} * {}", 2 + self.random.below(3), leaf(self)),
            4 => {
                let function = self.random.word(&["f0", "fd", "fx"]);
                format!("{function}({})", self.int(depth - 1))
            }
            5 => {
                let function = self.random.word(&["f1", "f5"]);
                format!("{function}({}, {})", self.int(depth - 1), self.int(0))
            }
            6 => {
                let (cond, then) = (self.bool(0), self.int(0));
                format!("(if {cond} then {then} else {})", self.int(0))
            }
            7 => match self.variable(Ty::Map) {
                Some(map) => format!("{map}[{}]", self.int(0)),
                None => "fk()".to_owned(),
            },
            8 => format!("-({})", leaf(self)),
            9 if self.random.chance(30) => format!("div0({}, 2)", leaf(self)),
            10 if self.random.chance(30) => format!("fu({})", self.expr(Ty::U, 0)),
            11 if self.world.is_polymorphic => format!("id({})", leaf(self)),
            12 => self.chain("+", |body| body.int(0)),
            13 => {
                let factor = leaf(self);
                self.multiples("", &factor)
            }
            _ => leaf(self),
        }
    }

    /// Four operands of an associative operator, grouped in one of five ways.
    fn chain(&mut self, operator: &str, mut operand: impl FnMut(&mut Self) -> String) -> String {
        self.world.has("chains");
        let [a, b, c, d] = [(); 4].map(|()| operand(self));
        match self.random.below(5) {
            0 => format!("({a} {operator} {b} {operator} {c} {operator} {d})"),
            1 => format!("({a} {operator} ({b} {operator} ({c} {operator} {d})))"),
            2 => format!("(({a} {operator} {b}) {operator} ({c} {operator} {d}))"),
            3 => format!("({a} {operator} ({b} {operator} {c}) {operator} {d})"),
            _ => format!("({a} {operator} ({b} {operator} {c} {operator} {d}))"),
        }
    }

    /// A number times constants, in a chain. `point` ends the constants.
    fn multiples(&mut self, point: &str, factor: &str) -> String {
        self.world.has("chains");
        let (a, b) = (2 + self.random.below(2), 2 + self.random.below(2));
        match self.random.below(3) {
            0 => format!("{a}{point} * {b}{point} * {factor}"),
            1 => format!("{a}{point} * ({b}{point} * {factor})"),
            _ => format!("{a}{point} * ({factor} * {b}{point})"),
        }
    }

    /// A condition.
    pub(super) fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(8) {
                0 => self.variable(Ty::Bool).unwrap_or_else(|| "k0".to_owned()),
                1 => format!("f2({})", self.int(0)),
                2 => format!("f4({}, {})", self.int(0), self.random.word(&["true", "k0"])),
                _ => self.comparison(0),
            };
        }
        match self.random.below(11) {
            0 | 1 => format!("({} && {})", self.bool(depth - 1), self.bool(0)),
            2 => format!("({} || {})", self.bool(depth - 1), self.bool(0)),
            3 => format!("({} ==> {})", self.bool(depth - 1), self.bool(0)),
            4 => format!("({} <==> {})", self.bool(depth - 1), self.bool(0)),
            5 => format!("!({})", self.bool(depth - 1)),
            6 => format!("f3({})", self.int(depth - 1)),
            7 => {
                let operator = self.random.word(&["&&", "||"]);
                self.chain(operator, |body| body.bool(0))
            }
            _ => self.comparison(depth),
        }
    }

    /// A comparison.
    fn comparison(&mut self, depth: usize) -> String {
        if self.world.release == Release::Three && self.random.chance(12) {
            return self.about_data();
        }
        match self.random.below(10) {
            0 => {
                self.world.has("bitvectors");
                let (left, right) = (self.bv8(depth), self.bv8(0));
                if self.random.chance(50) {
                    format!("ult8({left}, {right})")
                } else {
                    format!("{left} == {right}")
                }
            }
            1 => {
                self.world.has("reals");
                let sign = self.random.word(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{} {sign} {}", self.real(depth), self.real(0))
            }
            2 => {
                let sign = self.random.word(&["==", "!="]);
                format!("{} {sign} {}", self.expr(Ty::U, 0), self.expr(Ty::U, 0))
            }
            _ => {
                let sign = self.random.word(&["<", "<=", ">", ">=", "==", "!="]);
                format!("{} {sign} {}", self.int(depth), self.int(0))
            }
        }
    }

    /// A value of the datatype.
    fn data(&mut self) -> String {
        match (self.random.below(4), self.variable(Ty::Data)) {
            (0 | 1, Some(variable)) => variable,
            (2, _) => format!("D1({}, {})", self.int(0), self.random.word(&["true", "k0"])),
            _ => format!("D0({})", self.int(0)),
        }
    }

    /// A condition about a value of the datatype.
    fn about_data(&mut self) -> String {
        let value = self.data();
        match self.random.below(5) {
            0 => format!("({value} is D0)"),
            1 => format!("!({value} is D1)"),
            2 => format!("{value}->n < {}", self.int(0)),
            3 => format!("{value}->m == {}", self.int(0)),
            _ => format!("{value} == {}", self.data()),
        }
    }

    /// A condition that holds for all values of the datatype.
    fn data_tautology(&mut self) -> String {
        let (value, number) = (self.data(), self.int(0));
        match self.random.below(5) {
            0 => format!("D0({number})->n == {number}"),
            1 => format!("D1({number}, true)->b && !(D1({number}, k0) is D0)"),
            2 => format!("(({value} is D0) || ({value} is D1))"),
            3 => format!("(({value} is D1) ==> {value} == D1({value}->m, {value}->b))"),
            _ => "fz(1) == 5".to_owned(),
        }
    }

    fn bv8(&mut self, depth: usize) -> String {
        self.world.has("bitvectors");
        if depth > 0 {
            match self.random.below(4) {
                0 => return format!("add8({}, {})", self.bv8(depth - 1), self.bv8(0)),
                1 if self.world.release == Release::Two || !self.world.is_polymorphic => {
                    let (high, low) = (self.bv8(0), self.bv8(0));
                    return format!("({high}[8:4] ++ {low}[4:0])");
                }
                _ => {}
            }
        }
        let literal = format!("{}bv8", self.random.below(16) * 17);
        if self.random.chance(60) { self.variable(Ty::Bv8).unwrap_or(literal) } else { literal }
    }

    fn real(&mut self, depth: usize) -> String {
        self.world.has("reals");
        if depth > 0 {
            match self.random.below(6) {
                0 => return format!("{} + {}", self.real(depth - 1), self.real(0)),
                1 => return format!("{} - {}", self.real(depth - 1), self.real(0)),
                2 => return format!("real({})", self.int(0)),
                3 => return self.chain("+", |body| body.real(0)),
                4 => {
                    let factor = self.real(0);
                    return self.multiples(".0", &factor);
                }
                _ => {}
            }
        }
        let literal = format!("{}.{}", self.random.below(4), self.random.word(&["0", "5", "25"]));
        if self.random.chance(60) { self.variable(Ty::Real).unwrap_or(literal) } else { literal }
    }

    fn map(&mut self, depth: usize) -> String {
        self.world.has("maps");
        let map = self.variable(Ty::Map).unwrap_or_else(|| "mm".to_owned());
        if depth > 0 && self.random.chance(40) {
            return format!("{map}[{} := {}]", self.int(0), self.int(0));
        }
        map
    }

    /// A condition that holds whatever the values of the variables.
    pub(super) fn tautology(&mut self) -> String {
        if self.world.release == Release::Three && self.random.chance(15) {
            return self.data_tautology();
        }
        match self.random.below(17) {
            0 => format!("{0} + {1} == {1} + {0}", self.int(0), self.int(0)),
            1 => {
                let (a, b) = (self.bool(1), self.bool(0));
                format!("({a} && {b}) ==> ({b} || {a})")
            }
            2 => format!("{0} <= {0} + {1}", self.int(0), self.random.below(4)),
            3 => {
                let a = self.bool(1);
                format!("{a} || !({a})")
            }
            4 => self.lambda(),
            5 => {
                let e = self.bv8(1);
                format!("{e} == {e}")
            }
            6 => "add8(3bv8, 255bv8) == 2bv8".to_owned(),
            7 => {
                let (a, b) = (self.int(0), self.int(0));
                format!("({a} < {b} <==> {b} > {a})")
            }
            8 => self.quantifier(),
            9 => {
                let (map, at, value) = (self.map(0), self.int(0), self.int(0));
                format!("{map}[{at} := {value}][{at}] == {value}")
            }
            10 => "u0 != u1 && u2 != u1".to_owned(),
            11 => format!("f1({0}, {1}) == {0} + 2 * {1}", self.int(0), self.int(0)),
            12 => "fk() == 7 && fx(1) == 5".to_owned(),
            13 => self.code(),
            14 if self.world.is_polymorphic => {
                let (e, b) = (self.int(0), self.bool(0));
                format!("id({e}) == id({e}) && pair({e}, {b}) == pair({e}, {b})")
            }
            15 => self.regrouped(),
            _ => {
                let e = self.int(2);
                format!("{e} == {e}")
            }
        }
    }

    /// A condition that holds because an operator is associative.
    fn regrouped(&mut self) -> String {
        self.world.has("chains");
        match self.random.below(4) {
            0 => {
                let [a, b, c] = [(); 3].map(|()| self.int(0));
                format!("{a} + ({b} + {c}) == {a} + {b} + {c}")
            }
            1 => {
                let [a, b, c] = [(); 3].map(|()| self.real(0));
                format!("{a} + ({b} + {c}) == {a} + {b} + {c}")
            }
            2 => {
                let a = self.real(0);
                format!("2.0 * (1.5 * {a}) == 3.0 * {a}")
            }
            _ => {
                let [a, b, c] = [(); 3].map(|()| self.bool(0));
                format!("({a} && {b} && {c} <==> {a} && ({b} && {c}))")
            }
        }
    }

    /// A name for a bound variable, which may hide a global one.
    fn bound(&mut self) -> &'static str {
        let mut name = self.random.word(&["q", "q", "g0", "c0"]);
        // Locals may hide globals, but not each other.
        if self.vars.iter().any(|var| var.name == name) {
            name = "q";
        }
        if name != "q" {
            self.world.has("shadowed names");
        }
        name
    }

    /// Two lambdas with the same text.
    fn lambda(&mut self) -> String {
        self.world.has("lambdas");
        let q = self.bound();
        let body = match self.random.below(4) {
            0 => format!("{q} < {}", self.int(0)),
            1 => format!("{q} + {} == {}", self.int(0), self.int(0)),
            2 => format!("{q} > 0 && {} >= {q}", self.int(0)),
            _ => format!("(forall i: int, j: int :: {q} < {} || i < j)", self.int(0)),
        };
        if self.random.chance(50) {
            format!("(lambda {q}: int :: {body}) == (lambda {q}: int :: {body})")
        } else {
            format!("fm((lambda {q}: int :: {body})) == fm((lambda {q}: int :: {body}))")
        }
    }

    /// A quantifier that holds by propositional logic.
    fn quantifier(&mut self) -> String {
        self.world.has("quantifiers in bodies");
        match self.random.below(4) {
            0 => {
                let (q, other) = (self.bound(), self.int(0));
                format!(
                    "(forall {q}: int, r: bool :: {{f4({q}, r)}} f4({q}, r) && {other} < {q} ==> {other} < {q})"
                )
            }
            1 => "(forall q, r: int :: {f0(q), f0(r)} {f1(q, r)} q < r || r <= q)".to_owned(),
            2 => "!(exists q: int, r: int :: {f1(q, r)} q < r && r < q)".to_owned(),
            _ => "(forall q: int, r: bool :: r ==> q + 1 > q)".to_owned(),
        }
    }

    /// A code expression that holds.
    fn code(&mut self) -> String {
        if self.is_inlined {
            return "true".to_owned();
        }
        self.world.has("code expressions");
        let value = self.random.below(5);
        let (a, b) = (self.int(0), self.int(0));
        format!(
            "|{{ var z: int; A: z := {value}; goto B, C; B: assume {a} < {b}; return z >= {value} && {a} <= {b}; \
             C: assume {a} >= {b}; return z == {value}; }}|"
        )
    }
}
