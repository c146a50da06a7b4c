trait Kernel {
    type Args;
}

struct Fill<const N: usize>;

impl<const N: usize> Kernel for Fill<N> {
    type Args = ();
}

struct Launch<K: Kernel>(K::Args);

impl<K: Kernel> Launch<K> {
    fn over(self) {}
}

fn fill<const N: usize>(x: &mut [f32]) -> Launch<Fill<N>> {
    Launch(())
}

fn main() {
    fill(&mut [1.0]).over();
}
