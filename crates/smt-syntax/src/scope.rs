//! Scopes, segments, and what is live at a check.
//!
//! A *segment* is a maximal run of commands without a barrier ([`Kind::is_barrier`]): inside of one, assertions commute, and
//! declarations may move as far as their uses allow. Nothing moves across a barrier.

use crate::kind::{Class, Kind};
use crate::script::{AtomKind, Command, Script};

/// The solver whose rules hold where solvers differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `reset` keeps options; `reset-assertions` keeps scopes and declarations.
    #[default]
    Z3,
    /// `reset` forgets options; `reset-assertions` closes all scopes and drops declarations that are not global.
    Cvc5,
}

/// Where a command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of scopes that are open before the command.
    pub depth: u64,
    /// The number of its segment, counted from 0; barriers, and commands after `(exit)`, are in none.
    pub segment: Option<u32>,
    /// Whether it stands after `(exit)`, so that no solver reads it.
    pub exited: bool,
}

/// A scope command that a solver rejects and that has no effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// More scopes are to be closed than are open.
    PopBelowZero,
    /// The argument is not a number that is small enough, or there are several.
    BadCount,
}

/// A command that is live at a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Live {
    /// Its index.
    pub command: usize,
    /// For a `push`: how many of its scopes are still open.
    pub scopes: Option<u64>,
}

/// What a command does to the set of live commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Nothing: it is not live later.
    Pass,
    /// Is live until the end or a reset of options.
    Option,
    /// Is live until a reset.
    Global,
    /// Is live in its scope.
    Declare,
    /// Is live in its scope until assertions are reset.
    Assert,
    Push(u64),
    Pop(u64),
    Reset,
    ResetAssertions,
}

/// The scopes of a script.
#[derive(Clone, Debug)]
pub struct Scopes {
    dialect: Dialect,
    places: Vec<Place>,
    actions: Vec<Action>,
    checks: Vec<usize>,
    faults: Vec<(usize, Fault)>,
}

impl Scopes {
    /// The scopes of a script by the rules of a solver.
    pub fn new(script: &Script, dialect: Dialect) -> Scopes {
        let count = script.commands().len();
        let mut scopes = Scopes {
            dialect,
            places: Vec::with_capacity(count),
            actions: Vec::with_capacity(count),
            checks: Vec::new(),
            faults: Vec::new(),
        };
        let mut depth = 0;
        let mut segments = 0;
        let mut in_segment = false;
        let mut exited = false;
        let mut global = false;
        for (index, &command) in script.commands().iter().enumerate() {
            let is_barrier = command.kind.is_barrier();
            if !exited && !is_barrier && !in_segment {
                segments += 1;
            }
            in_segment = !is_barrier;
            let segment = (!exited && !is_barrier).then(|| segments - 1);
            scopes.places.push(Place { depth, segment, exited });
            let action = match action(script, command, depth, global) {
                _ if exited => Action::Pass,
                Ok(action) => action,
                Err(fault) => {
                    scopes.faults.push((index, fault));
                    Action::Pass
                }
            };
            depth = match action {
                Action::Push(count) => depth.saturating_add(count),
                Action::Pop(count) => depth - count,
                Action::Reset => 0,
                Action::ResetAssertions if dialect == Dialect::Cvc5 => 0,
                _ => depth,
            };
            match (action, dialect) {
                (Action::Reset, Dialect::Cvc5) => global = false,
                (Action::Option, _) => {
                    global = global_declarations(script, command).unwrap_or(global);
                }
                _ => {}
            }
            if command.kind.is_check() && !exited {
                scopes.checks.push(index);
            }
            scopes.actions.push(action);
            exited |= script.is_exit(command);
        }
        scopes
    }

    /// Where a command stands. Past the last command: where another one would stand, with segment `None`.
    pub fn at(&self, command: usize) -> Place {
        let none = Place { depth: 0, segment: None, exited: true };
        self.places.get(command).copied().unwrap_or(none)
    }

    /// The places of all commands.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The commands that are checks and are read, in order.
    pub fn checks(&self) -> &[usize] {
        &self.checks
    }

    /// The scope commands that a solver rejects, with their indices.
    pub fn faults(&self) -> &[(usize, Fault)] {
        &self.faults
    }

    /// The commands that the answer of a check depends on, in order, and the check itself at the end: declarations, assertions
    /// and pushes of the scopes that are open, options, and declarations that are global. Other checks and what only prints is
    /// not live. The check is counted from 0; there is nothing live at a check that does not exist.
    pub fn live(&self, check: usize) -> Vec<Live> {
        let Some(&last) = self.checks.get(check) else { return Vec::new() };
        let mut state = State::default();
        for (command, &action) in self.actions[..last].iter().enumerate() {
            state.take(command, action, self.dialect);
        }
        let mut live = state.live();
        live.push(Live { command: last, scopes: None });
        live
    }
}

#[derive(Debug)]
struct Frame {
    push: usize,
    scopes: u64,
    /// The number of declarations before it.
    declarations: usize,
    /// The number of assertions before it, in its epoch.
    assertions: usize,
    epoch: u32,
}

/// What is live while commands are taken in order.
#[derive(Debug, Default)]
struct State {
    options: Vec<usize>,
    globals: Vec<usize>,
    declarations: Vec<usize>,
    assertions: Vec<usize>,
    frames: Vec<Frame>,
    /// The number of times that assertions were reset.
    epoch: u32,
}

impl State {
    fn take(&mut self, command: usize, action: Action, dialect: Dialect) {
        match action {
            Action::Pass => {}
            Action::Option => self.options.push(command),
            Action::Global => self.globals.push(command),
            Action::Declare => self.declarations.push(command),
            Action::Assert => self.assertions.push(command),
            Action::Push(scopes) => self.frames.push(Frame {
                push: command,
                scopes,
                declarations: self.declarations.len(),
                assertions: self.assertions.len(),
                epoch: self.epoch,
            }),
            Action::Pop(scopes) => self.pop(scopes),
            Action::Reset => {
                let options = std::mem::take(&mut self.options);
                *self = State::default();
                if dialect == Dialect::Z3 {
                    self.options = options;
                }
            }
            Action::ResetAssertions => {
                self.assertions.clear();
                self.epoch += 1;
                if dialect == Dialect::Cvc5 {
                    self.declarations.clear();
                    self.frames.clear();
                }
            }
        }
    }

    fn pop(&mut self, mut scopes: u64) {
        while scopes > 0 {
            let Some(frame) = self.frames.last_mut() else { return };
            self.declarations.truncate(frame.declarations);
            let before = if frame.epoch == self.epoch { frame.assertions } else { 0 };
            self.assertions.truncate(before);
            if frame.scopes > scopes {
                frame.scopes -= scopes;
                return;
            }
            scopes -= frame.scopes;
            self.frames.pop();
        }
    }

    fn live(&self) -> Vec<Live> {
        let lists = [&self.options, &self.globals, &self.declarations, &self.assertions];
        let plain = lists.into_iter().flatten().map(|&command| Live { command, scopes: None });
        let pushes = self.frames.iter();
        let pushes = pushes.map(|frame| Live { command: frame.push, scopes: Some(frame.scopes) });
        let mut live: Vec<Live> = plain.chain(pushes).collect();
        live.sort_unstable_by_key(|live| live.command);
        live
    }
}

fn action(script: &Script, command: Command, depth: u64, global: bool) -> Result<Action, Fault> {
    Ok(match command.kind {
        Kind::Push => Action::Push(count(script, command)?),
        Kind::Pop => match count(script, command)? {
            count if count > depth => return Err(Fault::PopBelowZero),
            count => Action::Pop(count),
        },
        Kind::Reset => Action::Reset,
        Kind::ResetAssertions => Action::ResetAssertions,
        Kind::SetOption => Action::Option,
        Kind::SetLogic => Action::Global,
        Kind::SetInfo | Kind::DeclareRel | Kind::DeclareVar | Kind::Include => Action::Declare,
        kind => match kind.class() {
            Class::Declaration if global => Action::Global,
            Class::Declaration | Class::Unknown => Action::Declare,
            Class::Assertion => Action::Assert,
            _ => Action::Pass,
        },
    })
}

/// The argument of `push` or `pop`: one if there is none.
fn count(script: &Script, command: Command) -> Result<u64, Fault> {
    let mut arguments = script.children(command.node).skip(1);
    let Some(argument) = arguments.next() else { return Ok(1) };
    let digits = std::str::from_utf8(script.text(argument)).unwrap_or_default();
    let is_number = script.atom_kind(argument) == Some(AtomKind::Number);
    match digits.parse::<u32>() {
        Ok(count) if is_number && arguments.next().is_none() => Ok(u64::from(count)),
        _ => Err(Fault::BadCount),
    }
}

/// What an option says about global declarations, if it is about them.
fn global_declarations(script: &Script, command: Command) -> Option<bool> {
    let mut arguments = script.children(command.node).skip(1);
    let name = script.text(arguments.next()?);
    let is_it = matches!(name, b":global-declarations" | b":global-decls");
    is_it.then(|| arguments.next().and_then(|value| script.symbol(value)) == Some(b"true"))
}
