module kaiju.local/tools

go 1.24
