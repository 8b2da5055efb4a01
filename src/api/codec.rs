//! How all calls write their messages: as prost does, into small buffers.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{self, BufferSettings};
use tonic_prost::ProstCodec;

/// What a call has for what it writes, in bytes, from its beginning to its end. tonic would take eight times as much,
/// and thousands may wait: ten thousand streams take half the memory. One that has more to write gets more for as long as
/// it writes; below this the buffer would not keep its size.
const BUFFER: usize = 1 << 10;

/// Written messages are handed on once they have so many bytes: as tonic does.
const FRAME: usize = 32 << 10;

/// Writes messages `T` and reads messages `U`.
#[derive(Clone, Copy, Debug)]
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Codec<T, U> {
        Codec(PhantomData)
    }
}

impl<T, U> codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = <ProstCodec<T, U> as codec::Codec>::Encoder;
    type Decoder = <ProstCodec<T, U> as codec::Codec>::Decoder;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFER, FRAME))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::default())
    }
}
