#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <openssl/evp.h>
