#![allow(missing_docs, clippy::all)]
use bpl_syntax::{Dialect, generate, parse, print};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (n, dir): (u64, &str) = (a[1].parse().unwrap(), &a[2]);
    for i in 0..n {
        let mut s = i.wrapping_mul(0x9E3779B97F4A7C15) + 1;
        let len = [100, 300, 1000, 3000][(i % 4) as usize];
        let bytes: Vec<u8> = (0..len)
            .map(|_| {
                s ^= s << 13;
                s ^= s >> 7;
                s ^= s << 17;
                (s >> 32) as u8
            })
            .collect();
        for (d, e) in [(Dialect::Boogie2, "2"), (Dialect::Boogie3, "3")] {
            let p = generate::program(&bytes, d);
            let t = print(&p);
            let q = parse(&t, d);
            if !q.errors.is_empty() {
                println!("{i} {d} parse error {:?}", q.errors[0]);
            } else if q.program != p {
                println!("{i} {d} differs");
            }
            std::fs::write(format!("{dir}/g{i}.{e}.bpl"), t).unwrap();
        }
    }
}
