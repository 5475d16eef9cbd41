package main

import (
	"os"
	"sync"
	"time"
)

// watched passes a program's output on, as it comes.
type watched struct {
	lock  sync.Mutex
	write func([]byte) error
	text  []byte
	last  time.Time
}

func (w *watched) Write(text []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.last = now()
	if len(w.text) < 8<<20 {
		w.text = append(w.text, text...)
	}
	return len(text), w.write(text)
}

func (w *watched) silent() time.Duration {
	w.lock.Lock()
	defer w.lock.Unlock()
	return time.Since(w.last)
}

// mostAnswered are bytes of answers of one process.
const mostAnswered = 8 << 20

// passed passes on what tests answer, up to its bound.
type passed struct {
	write func([]byte) error
	left  int
}

// from reads to the end; the channel is closed then.
func (p *passed) from(file *os.File) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1<<16)
		for {
			count, err := file.Read(buffer)
			if count = min(count, p.left); count > 0 {
				p.left -= count
				if p.write(buffer[:count]) != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return done
}
