package parcel

// BitWriter packs numbers of any width up to 64 bits, the highest bit first. The zero value is ready to use.
type BitWriter struct {
	data []byte
	free uint
}

// Write appends the lowest width bits of n. A width over 64, or an n that needs more bits, is ErrRange, and nothing
// is written.
func (w *BitWriter) Write(n uint64, width uint) error {
	if width > 64 || width < 64 && n>>width != 0 {
		return ErrRange
	}
	for width > 0 {
		if w.free == 0 {
			w.data = append(w.data, 0)
			w.free = 8
		}
		take := min(width, w.free)
		part := byte(n>>(width-take)) & (1<<take - 1)
		w.free -= take
		w.data[len(w.data)-1] |= part << w.free
		width -= take
	}
	return nil
}

// Len is the count of bits written.
func (w *BitWriter) Len() int {
	return 8*len(w.data) - int(w.free)
}

// Bytes is what was written, filled up with zero bits to whole bytes.
func (w *BitWriter) Bytes() []byte {
	return append([]byte(nil), w.data...)
}

// BitReader reads what a BitWriter wrote.
type BitReader struct {
	data []byte
	read uint
}

// NewBitReader reads from the first bit of data.
func NewBitReader(data []byte) *BitReader {
	return &BitReader{data: data}
}

// Read returns the next width bits. ErrShort when there are fewer, ErrRange for a width over 64; nothing is read then.
func (r *BitReader) Read(width uint) (uint64, error) {
	if width > 64 {
		return 0, ErrRange
	}
	if width > r.Left() {
		return 0, ErrShort
	}
	var n uint64
	for range width {
		bit := r.data[r.read/8] >> (7 - r.read%8) & 1
		n = n<<1 | uint64(bit)
		r.read++
	}
	return n, nil
}

// Left is the count of bits not read yet.
func (r *BitReader) Left() uint {
	return 8*uint(len(r.data)) - r.read
}

// Align skips to the next whole byte and returns the count of bits skipped.
func (r *BitReader) Align() uint {
	skipped := (8 - r.read%8) % 8
	r.read += skipped
	return skipped
}
