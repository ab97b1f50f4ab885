// Command keys writes a fresh private key, in PEM, to standard output. The API server signs the tokens of service
// accounts with it. A key made for each run is a key that no repository has to keep.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log"
	"os"
)

func main() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatalf("make a key: %v", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		log.Fatalf("encode the key: %v", err)
	}
	if err := pem.Encode(os.Stdout, &pem.Block{Type: "EC PRIVATE KEY", Bytes: der}); err != nil {
		log.Fatalf("write the key: %v", err)
	}
}
