fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (o, k) = xtask::random::Options::parse(
        Some(&a[1]),
        Some(&a[2]),
        a.get(3).map(String::as_str),
        a.get(4).map(String::as_str),
    )
    .unwrap();
    print!("{}", xtask::random::text(&o, k));
}
