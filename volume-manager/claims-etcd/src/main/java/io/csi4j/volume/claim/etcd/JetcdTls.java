package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;

/** Puts the settings of TLS into jetcd's form. */
final class JetcdTls {

  private JetcdTls() {}

  static void into(SslContextBuilder builder, EtcdTls tls) {
    tls.trusted()
        .ifPresent(
            pem ->
                reading(
                    "the certificates to trust (" + pem + ")",
                    () -> {
                      try (InputStream in = pem.open()) {
                        builder.trustManager(in);
                      }
                    }));
    tls.client()
        .ifPresent(
            own ->
                reading(
                    "the client's certificate (" + own.chain() + ") and key (" + own.key() + ")",
                    () -> {
                      try (InputStream chain = own.chain().open();
                          InputStream key = own.key().open()) {
                        builder.keyManager(chain, key);
                      }
                    }));
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void reading(String what, Step step) {
    try {
      step.run();
    } catch (IOException | IllegalArgumentException e) {
      throw unusable(what, e);
    }
  }

  static ClaimStoreException unusable(String what, Exception cause) {
    return new ClaimStoreException(
        Reason.UNAVAILABLE,
        "Opening the store of claims in etcd failed: "
            + what
            + " cannot be used for TLS. Give certificates in PEM form, and a key as PKCS #8 in PEM"
            + " form without a password.",
        cause);
  }
}
