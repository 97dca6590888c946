/* OpenSSL 3 for Swift: TLS, keys and certificates. Macros with arguments become static inline functions. */
#ifndef BONJOURISH_COPENSSL_H
#define BONJOURISH_COPENSSL_H

#if !__has_include(<openssl/ssl.h>)
#error "openssl/ssl.h is missing: install the Debian package libssl-dev, or do without the product FramedSecurity"
#endif

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>

/* Loops run until the process ends, so the library must not free what they use when `exit` is called. */
static inline int openssl_start(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) == 1 && OPENSSL_init_ssl(0, NULL) == 1;
}
static inline int openssl_allow_tls13_only(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1;
}
static inline int openssl_set_groups(SSL_CTX *context, const char *groups) {
    return SSL_CTX_set1_groups_list(context, groups) == 1;
}
/* No renegotiation, no tickets, no stored sessions, no early data, no compression; memory is given back between records. */
static inline int openssl_restrict(SSL_CTX *context, long most_certificate_bytes) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_cert_list(context, most_certificate_bytes);
    return SSL_CTX_set_num_tickets(context, 0) == 1 && SSL_CTX_set_max_early_data(context, 0) == 1 &&
           SSL_CTX_set_recv_max_early_data(context, 0) == 1;
}
/* Signatures by P-256 and Ed25519 keys are all that a server takes from clients. */
static inline int openssl_restrict_clients(SSL_CTX *context) {
    return SSL_CTX_set1_client_sigalgs_list(context, "ecdsa_secp256r1_sha256:ed25519") == 1;
}
/* Whether a key is one of these. It computes nothing with the key. */
static inline int openssl_is_client_key(const EVP_PKEY *key) {
    char group[32];
    if (key == NULL)
        return 0;
    if (EVP_PKEY_is_a(key, "ED25519"))
        return 1;
    return EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1 &&
           strcmp(group, "prime256v1") == 0;
}
static inline int openssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}
static inline int openssl_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name) == 1;
}
static inline EVP_PKEY *openssl_generate_p256(void) {
    return EVP_EC_gen("P-256");
}
/* The most bytes of the secret part of a key; 0 for a key without one. */
static inline size_t openssl_secret_size(const EVP_PKEY *key) {
    size_t size = (size_t)((EVP_PKEY_get_bits(key) + 7) / 8);
    return EVP_PKEY_get_bits(key) > 0 ? size + 8 : 0;
}
/* Writes the secret part of a key, filled up with zeros: the private number, or the raw private key. 0 if there is none. */
static inline int openssl_secret(const EVP_PKEY *key, unsigned char *bytes) {
    const char *const names[] = {OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_RSA_D};
    size_t size = openssl_secret_size(key);
    if (size == 0)
        return 0;
    if (EVP_PKEY_get_raw_private_key(key, bytes, &size) == 1)
        return 1;
    for (int i = 0; i < 2; i++) {
        BIGNUM *number = NULL;
        if (EVP_PKEY_get_bn_param(key, names[i], &number) != 1)
            continue;
        int written = BN_bn2binpad(number, bytes, (int)openssl_secret_size(key));
        BN_clear_free(number);
        return written > 0;
    }
    return 0;
}
static inline int openssl_set_common_name(X509 *certificate, const char *name) {
    return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                                      (const unsigned char *)name, -1, -1, 0) == 1;
}
/* Adds an extension in the form of a configuration file, to a certificate that signs itself. */
static inline int openssl_add_extension(X509 *certificate, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL)
        return 0;
    int is_added = X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}
static inline int openssl_reason(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
}
static inline long openssl_memory(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

/* What a stream of bytes in memory has to say to the library. */
static inline void openssl_retry_reading(BIO *bio) {
    BIO_set_retry_read(bio);
}
static inline void openssl_retry_writing(BIO *bio) {
    BIO_set_retry_write(bio);
}
static inline void openssl_clear_retry(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

#endif
