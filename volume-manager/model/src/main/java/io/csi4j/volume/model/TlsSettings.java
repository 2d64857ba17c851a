package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The certificates of an encrypted connection: the authorities that are trusted, and the
 * certificate that this process presents.
 *
 * @param trusted the certificates of the authorities that the peer's certificate must come from; if
 *     empty, the authorities of the JVM
 * @param own the certificate to present if the peer requests one
 * @since 1.0
 */
public record TlsSettings(Optional<Pem> trusted, Optional<Certificate> own) {

  /**
   * A certificate of this process, with its private key.
   *
   * @param chain the certificate, followed by the intermediate certificates
   * @param key the private key of the certificate, as unencrypted PKCS #8
   */
  public record Certificate(Pem chain, Pem key) {

    /** Checks that both parts are set. */
    public Certificate {
      Objects.requireNonNull(chain, "chain");
      Objects.requireNonNull(key, "key");
    }
  }

  /** Checks that all parts are set. */
  public TlsSettings {
    Objects.requireNonNull(trusted, "trusted");
    Objects.requireNonNull(own, "own");
  }

  /** Returns settings that trust the same authorities as the JVM. */
  public static TlsSettings asTheJvm() {
    return new TlsSettings(Optional.empty(), Optional.empty());
  }

  /** Returns settings that trust only these authorities. */
  public static TlsSettings trusting(Pem certificates) {
    return new TlsSettings(Optional.of(certificates), Optional.empty());
  }

  /** Returns these settings with a certificate that this process presents. */
  public TlsSettings showing(Certificate certificate) {
    return new TlsSettings(trusted, Optional.of(certificate));
  }
}
