//! Symbols as numbers.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::script::{NodeId, Script};

/// The number of a symbol in its script: equal numbers are equal names without bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    const NONE: Symbol = Symbol(u32::MAX);

    /// The number, smaller than [`Symbols::len`]. Symbols are numbered in the order in which they first occur.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The symbols of a script, made once per script: four bytes per node, and twelve per symbol.
#[derive(Clone, Debug)]
pub struct Symbols {
    source: Arc<[u8]>,
    of_nodes: Vec<Symbol>,
    places: Vec<Range<u32>>,
    /// By name.
    sorted: Vec<Symbol>,
}

impl Symbols {
    /// Numbers the symbols of a script.
    pub fn new(script: &Script) -> Symbols {
        let mut numbers: HashMap<&[u8], Symbol> = HashMap::new();
        let mut of_nodes = Vec::with_capacity(script.nodes().len());
        let mut places: Vec<Range<u32>> = Vec::new();
        for (id, node) in (0..).zip(script.nodes()) {
            let symbol = script.symbol(id).map_or(Symbol::NONE, |name| {
                *numbers.entry(name).or_insert_with(|| {
                    let bars = u32::from(script.text(id).len() > name.len());
                    places.push(node.start + bars..node.end - bars);
                    Symbol(u32::try_from(places.len() - 1).unwrap_or(u32::MAX))
                })
            });
            of_nodes.push(symbol);
        }
        let source = Arc::clone(script.source());
        let mut symbols = Symbols { source, of_nodes, places, sorted: Vec::new() };
        let mut sorted: Vec<Symbol> = (0..).map(Symbol).take(symbols.places.len()).collect();
        sorted.sort_unstable_by_key(|symbol| symbols.name(*symbol));
        symbols.sorted = sorted;
        symbols
    }

    /// The number of different symbols.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether the script has no symbol.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// All symbols, by their numbers.
    pub fn all(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..u32::try_from(self.places.len()).unwrap_or(u32::MAX)).map(Symbol)
    }

    /// The symbol that a node is, if it is one.
    pub fn at(&self, node: NodeId) -> Option<Symbol> {
        self.of_nodes.get(node as usize).copied().filter(|symbol| *symbol != Symbol::NONE)
    }

    /// The name of a symbol, without bars.
    pub fn name(&self, symbol: Symbol) -> &[u8] {
        let place = self.places.get(symbol.index()).cloned().unwrap_or_default();
        self.source.get(place.start as usize..place.end as usize).unwrap_or_default()
    }

    /// The symbol with a name, which is without bars.
    pub fn find(&self, name: &[u8]) -> Option<Symbol> {
        let found = self.sorted.binary_search_by_key(&name, |symbol| self.name(*symbol));
        found.ok().and_then(|index| self.sorted.get(index).copied())
    }

    /// Whether the name of some symbol, without bars, starts like this.
    pub fn has_prefix(&self, prefix: &[u8]) -> bool {
        let first = self.sorted.partition_point(|symbol| self.name(*symbol) < prefix);
        self.sorted.get(first).is_some_and(|symbol| self.name(*symbol).starts_with(prefix))
    }
}
