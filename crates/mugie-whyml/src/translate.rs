//! The translator: from files to files.

use bpl_syntax::source::SourceMap;
use bpl_syntax::span::Span;
use mugie_core::{ExpectedGoal, Files, LineMap, Location, NotExpressible, Translated, Translator};

use crate::print::Page;
use crate::procedures::goal_name;
use crate::refusal::{Refusal, Result};
use crate::source::{Proof, Source, load};
use crate::types::Ty;
use crate::world::{Need, World};

/// The translator from Boogie to WhyML.
pub const WHYML: &dyn Translator = &WhyMl;

/// The id of the output language.
const LANGUAGE: &str = "WhyML";

/// The largest number of rounds in which new instances are looked for.
const MAX_ROUNDS: usize = 16;

#[derive(Debug)]
struct WhyMl;

impl Translator for WhyMl {
    fn from(&self) -> &'static str {
        "boogie"
    }

    fn to(&self) -> &'static str {
        "whyml"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn translate(&self, files: &Files) -> std::result::Result<Translated, NotExpressible> {
        let refused = |what: String, place| NotExpressible { language: LANGUAGE, what, place };
        let mut sources = SourceMap::new();
        for (name, text) in &files.0 {
            if sources.add(name.clone(), text.as_bytes()).is_err() {
                return Err(refused("a program larger than 4 GiB".to_owned(), None));
            }
        }
        let name = files.0.first().map_or("program", |(name, _)| name.as_str());
        match translate(&sources) {
            Ok(module) => Ok(module.into_translated(name, &sources)),
            Err(refusal) => {
                let Refusal { what, span } = *refusal;
                Err(refused(what, span.and_then(|span| locate(&sources, span))))
            }
        }
    }
}

fn locate(sources: &SourceMap, span: Span) -> Option<Location> {
    let found = sources.locate(span)?;
    Some(Location { file: found.file.name.clone(), line: found.line, column: found.column })
}

/// A translated program.
struct Module {
    page: Page,
    goals: Vec<ExpectedGoal>,
    notes: Vec<String>,
}

impl Module {
    fn into_translated(self, name: &str, sources: &SourceMap) -> Translated {
        let mut lines = LineMap::default();
        for (line, span) in self.page.origins {
            if let Some(location) = locate(sources, span) {
                lines.add(0, line, location);
            }
        }
        let stem = name.strip_suffix(".bpl").unwrap_or(name);
        Translated {
            files: Files(vec![(format!("{stem}.mlw"), self.page.text)]),
            lines,
            goals: self.goals,
            notes: self.notes,
        }
    }
}

fn translate(sources: &SourceMap) -> Result<Module> {
    let loaded = load(sources)?;
    let source = Source::new(&loaded)?;
    let mut world = World::new(&source);
    for round in 0.. {
        let page = whole(&mut world)?;
        if round == 0 {
            world.max_height = tallest_argument(&world);
        }
        if world.needed.is_subset(&world.known) {
            let goals = goals(&source);
            let notes = world.notes.into_iter().collect();
            return Ok(Module { page, goals, notes });
        }
        if round + 1 == MAX_ROUNDS {
            world.freeze();
        }
        world.next_round();
    }
    unreachable!("the loop ends only by returning")
}

/// The height of the tallest type argument that the program asks for without any help from quantifiers.
fn tallest_argument(world: &World<'_, '_>) -> u32 {
    let heights = world.needed.iter().flat_map(|need| match need {
        Need::Function(_, args) | Need::Procedure(_, args) => args.iter().collect(),
        Need::Select(_, args) | Need::Store(_, args) => args.iter().collect(),
        _ => Vec::new(),
    });
    heights.map(Ty::height).max().unwrap_or(1).max(1)
}

/// Translates everything, with the instances that are known.
fn whole(world: &mut World<'_, '_>) -> Result<Page> {
    let source = world.source;
    let facts = world.facts()?;
    let (mut globals, mut records, mut procedures) =
        (Page::default(), Page::default(), Page::default());
    world.declare_globals(&mut globals)?;
    world.declare_procedures(&mut records, &mut procedures)?;
    let mut implementations = Page::default();
    for proof in source.verified() {
        world.implementation(proof, &mut implementations)?;
    }
    let declarations = world.declare()?;

    let mut page = Page::default();
    page.line("module M");
    page.line("use int.Int");
    if world.division {
        page.line("use int.EuclideanDivision");
    }
    if world.reals {
        for theory in ["real.RealInfix", "real.FromInt", "real.Truncate"] {
            page.line(&format!("use {theory}"));
        }
    }
    page.line("val unghost (ghost x: 'a) : 'a ensures { result = x }");
    page.append(&declarations.types);
    page.append(&records);
    page.append(&declarations.functions);
    for lambda in world.lambdas.values() {
        page.line(&lambda.declaration);
    }
    page.append(&declarations.facts);
    page.append(&facts);
    for lambda in world.lambdas.values() {
        lambda.axioms.iter().for_each(|axiom| page.line(axiom));
    }
    page.append(&globals);
    page.append(&procedures);
    page.append(&implementations);
    page.line("end");
    Ok(page)
}

/// The goals that Why3 is expected to report on.
fn goals(source: &Source<'_>) -> Vec<ExpectedGoal> {
    let goal = |proof: &Proof<'_>| ExpectedGoal {
        printed: format!("{}'vc", goal_name(proof)),
        goal: proof.signature.name.name.to_string(),
    };
    source.verified().map(goal).collect()
}
