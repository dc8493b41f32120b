//! Trains a small network to tell two moons apart, as examples/arrays/moons.py does.
use tenfold::{DataType, Device, Result, Tensor};

const COUNT: usize = 64;
const HIDDEN: i64 = 16;

fn loss_of(p: &[Tensor], x: &Tensor, y: &Tensor) -> Result<Tensor> {
    let hidden = (&x.matmul(&p[0])? + &p[1])?.unary("tanh")?;
    let apart = (&(&hidden.matmul(&p[2])? + &p[3])?.unary("tanh")? - y)?;
    (&apart * &apart)?.mean()
}

fn main() -> Result<()> {
    let device = Device::cpu(0)?;
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    for i in 0..COUNT {
        let t = std::f64::consts::PI * (i / 2) as f64 / (COUNT / 2 - 1) as f64;
        let (u, v) = if i % 2 == 0 { (t.cos(), t.sin()) } else { (1.0 - t.cos(), 0.5 - t.sin()) };
        points.extend([u as f32, v as f32]);
        labels.push(if i % 2 == 0 { 1.0 } else { -1.0 });
    }
    let x = Tensor::from_slice(&[COUNT as i64, 2], &points, &device)?;
    let y = Tensor::from_slice(&[COUNT as i64, 1], &labels, &device)?;
    let (rate, scale) = (Tensor::scalar(0.5, &device)?, Tensor::scalar(0.25, &device)?);
    let mut p = vec![
        Tensor::normal(&[2, HIDDEN], 1, 0, &device)?,
        Tensor::new(vec![1, HIDDEN], DataType::Float32, &device)?,
        (&Tensor::normal(&[HIDDEN, 1], 1, 2 * HIDDEN as u64, &device)? * &scale)?,
        Tensor::new(vec![1, 1], DataType::Float32, &device)?,
    ];
    for i in 0..=100 {
        let loss = loss_of(&p, &x, &y)?;
        let gradients = loss.grad(&p)?;
        if i % 20 == 0 {
            println!("step {i:3} loss {:.4}", loss.to_vec()?[0]);
        }
        for (parameter, gradient) in p.iter_mut().zip(&gradients) {
            *parameter = (&*parameter - &(gradient * &rate)?)?;
        }
    }
    Ok(())
}
