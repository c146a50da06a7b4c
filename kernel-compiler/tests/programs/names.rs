fn double(float: f32) -> f32 {
    float * 2.0
}

fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { double(b) }
}

fn printf(int: i32) -> i32 {
    int / 3i32
}

fn double(main: f32) -> f32 {
    main * 3.0
}

fn main(
    float: f32,
    int: &[i32],
    kernel: &mut [f32],
    launch: usize,
    rt: f32,
    x_len: usize,
    at: usize,
    fault: usize,
    sqrtf: f32,
    u32: u32,
    linux: f32,
    device: f32,
    größe: f32,
) {
    let threadIdx: usize = thread_idx().x;
    let x: f32 = float;
    let x: f32 = x.sqrt() + sqrtf + rt + device + größe + linux;
    let x_2: f32 = double(min(x, x));
    let mut tile: Shared<[f32; 8]> = shared::<[f32; 8]>();
    let tile_2: f32 = 1.0;
    tile[x_len] = tile_2;
    let mut tile: Shared<[f32; 8]> = shared::<[f32; 8]>();
    tile[threadIdx] = x_2;
    kernel[launch] = x + int[at] as f32 + tile[fault % 8] + printf(u32 as i32) as f32;
}
