module gpuc.invalid/e2e/keys

go 1.26
