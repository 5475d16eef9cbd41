module kaiju.example/parcel

go 1.24
