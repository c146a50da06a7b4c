trait Float {}

trait Kernel {
    type Args;
}

struct Root<T>(T);

impl<T: Float> Kernel for Root<T> {
    type Args = T;
}

struct Launch<K: Kernel>(K::Args);

impl<K: Kernel> Launch<K> {
    fn over(self) {}
}

fn root<T: Float>(x: T) -> Launch<Root<T>> {
    Launch(x)
}

fn main() {
    root(1u32).over();
}
