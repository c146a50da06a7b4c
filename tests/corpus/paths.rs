//! Functions of types and traits that are called by path, on values, variables and places in memory.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use crate::Case;
use crate::program::programs;

pub(crate) const CASES: &[&[Case]] = &[PROGRAMS];

programs! {
    items {
        #[derive(Clone, Copy, DeviceType)]
        pub struct Point {
            x: i64,
            y: i64,
        }

        #[device]
        impl Point {
            fn norm(&self) -> i64 {
                self.x.wrapping_mul(3) ^ self.y
            }

            fn scaled(self, by: i64) -> i64 {
                self.x.wrapping_mul(by)
            }

            fn push(&mut self, by: i64) {
                self.x = self.x.wrapping_add(by);
            }

            fn towards(&self, other: &Point) -> i64 {
                other.x.wrapping_sub(self.x)
            }

            fn exchange(&mut self, other: &mut Point) {
                let x = self.x;
                self.x = other.x;
                other.x = x;
            }

            fn total(points: &[Point], start: i64) -> i64 {
                let mut sum = start;
                for point in points.iter() {
                    sum = sum.wrapping_add(point.x);
                }
                sum
            }

            fn clear(points: &mut [Point]) {
                for point in points.iter_mut() {
                    point.y = 1;
                }
            }

            fn reset(place: &mut Point, to: i64) -> i64 {
                let before = place.x;
                place.x = to;
                place.y = to;
                before
            }

            fn both(a: &Point, b: &Point) -> i64 {
                a.x.wrapping_mul(5).wrapping_add(b.y)
            }
        }

        #[device]
        pub trait Shape {
            fn area(&self, by: i64) -> i64;
            fn grow(&mut self, by: i64) -> i64;
            fn unit() -> Self;
            fn taken(self) -> i64;
            fn twice(&self) -> i64 {
                self.area(2)
            }
        }

        #[device]
        impl Shape for Point {
            fn area(&self, by: i64) -> i64 {
                self.x.wrapping_mul(self.y).wrapping_mul(by)
            }

            fn grow(&mut self, by: i64) -> i64 {
                self.y = self.y.wrapping_mul(by);
                self.x
            }

            fn unit() -> Self {
                Point { x: 1, y: 1 }
            }

            fn taken(self) -> i64 {
                self.x.wrapping_add(self.y)
            }
        }

        #[derive(Clone, Copy, DeviceType)]
        pub struct Holder {
            points: [Point; 3],
            other: Point,
        }

        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, DeviceType)]
        pub struct float2 {
            pub x: f32,
            pub y: f32,
        }

        #[device]
        impl float2 {
            fn new(x: f32, y: f32) -> Self {
                float2 { x, y }
            }

            fn sum(&self) -> f32 {
                self.x + self.y
            }
        }

        #[allow(non_camel_case_types)]
        pub type point = Point;

        #[device]
        pub fn of_places(points: &mut [Point], holders: &mut [Holder], y: &mut [i64]) {
            y[0] = Point::norm(&points[0]);
            y[1] = Point::scaled(points[1], 2);
            Point::push(&mut points[0], 1);
            y[2] = Point::towards(&points[0], &points[1]);
            Point::exchange(&mut points[0], &mut holders[0].other);
            y[3] = Point::total(&points[1..3], 1).wrapping_add(Point::total(&holders[0].points, 2));
            Point::clear(&mut holders[1].points);
            y[4] = Point::reset(&mut holders[0].points[1], 5);
            y[5] = Point::both(&holders[0].points[1], &points[2]);
            y[6] = Shape::area(&points[0], 2);
            y[7] = Shape::grow(&mut points[1], 3).wrapping_add(<Point as Shape>::area(&points[1], 1));
            y[8] = Point::grow(&mut holders[1].other, 2).wrapping_add(Shape::taken(holders[1].other));
            y[9] = Shape::twice(&holders[0].points[holders.len()]).wrapping_add(Point::twice(&mut points[2]));
            let r = &mut points[2];
            Point::push(r, 1);
            Shape::grow(r, 5);
            Point::push(&mut *r, 2);
            y[10] = Point::norm(r).wrapping_add(Point::scaled(*r, 3));
            y[11] = <point>::norm(&points[0]).wrapping_add(i64::wrapping_mul(points[2].y, 7));
        }

        #[device]
        pub fn of_a_parameter<T: DeviceType + Shape>(shapes: &mut [T], y: &mut [i64]) {
            y[0] = T::area(&shapes[0], 3);
            y[1] = T::grow(&mut shapes[1], 2).wrapping_add(<T as Shape>::area(&shapes[1], 1));
            y[2] = Shape::taken(shapes[0]);
            let mut own = T::unit();
            y[3] = Shape::grow(&mut own, 3).wrapping_add(T::taken(own));
            shapes[0] = Shape::unit();
            y[4] = Shape::twice(&shapes[0]).wrapping_add(Shape::grow(&mut shapes[0], 9));
            y[5] = shapes[0].taken();
        }
    }

    fn places(x: &[i32], y: &mut [i64]) {
        let a = Point { x: x[0] as i64, y: x[1] as i64 };
        let b = Point { x: x[2] as i64, y: x[3] as i64 };
        let mut points = [a, b, Point { x: x[4] as i64, ..a }];
        let mut holders = [Holder { points, other: b }, Holder { points: [b; 3], other: a }];
        of_places(&mut points, &mut holders, y);
        y[11] = y[11].wrapping_add(points[0].norm()).wrapping_add(holders[1].points[2].y).wrapping_add(holders[0].other.x);
    }

    fn parameters(x: &[i32], y: &mut [i64]) {
        let mut shapes = [Point { x: x[0] as i64, y: x[1] as i64 }, Point { x: x[2] as i64, y: x[3] as i64 }];
        of_a_parameter(&mut shapes, y);
        y[6] = shapes[0].norm();
        y[7] = shapes[1].norm();
    }

    fn variables(x: &[i32], y: &mut [i64]) {
        let mut a = Point { x: x[0] as i64, y: x[1] as i64 };
        let mut b = Point { x: x[2] as i64, y: x[3] as i64 };
        Point::exchange(&mut a, &mut b);
        y[0] = Shape::area(&a, 2).wrapping_add(Shape::grow(&mut b, 4));
        y[1] = Point::norm(&Point { x: 3, y: 4 }).wrapping_add(Point::towards(&Shape::unit(), &b));
        let mut list = [a, b];
        Shape::grow(&mut list[(x[4] & 1) as usize], 5);
        y[2] = Point::norm(&list[0]).wrapping_add(Point::norm(&list[1]));
        let f = float2::new(x[5] as f32, 2.0);
        y[3] = (float2::sum(&f) * 2.0) as i64;
        y[4] = const { 3 } + const { [5i64, 6] }[(x[6] & 1) as usize];
        let small: u8 = const { 7 };
        y[5] = small as i64 + (const { 2.5 } * x[7] as f32) as i64;
    }
}
