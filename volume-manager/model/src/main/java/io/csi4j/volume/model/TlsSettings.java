package io.csi4j.volume.model;

import java.util.Objects;
import java.util.Optional;

/**
 * Whom to trust, and who one is oneself, on an encrypted connection.
 *
 * @param trusted the certificates of those who sign for the other side; those of the JVM if nothing
 *     is given
 * @param own the certificate shown to the other side, where it asks for one
 * @since 1.0
 */
public record TlsSettings(Optional<Pem> trusted, Optional<Certificate> own) {

  /**
   * A certificate of one's own.
   *
   * @param chain the certificate, and those between it and the one that the other side trusts
   * @param key the private key of it, as PKCS #8 and not encrypted
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

  /** Trusts what the JVM trusts. */
  public static TlsSettings asTheJvm() {
    return new TlsSettings(Optional.empty(), Optional.empty());
  }

  /** Trusts what these sign, and nothing else. */
  public static TlsSettings trusting(Pem certificates) {
    return new TlsSettings(Optional.of(certificates), Optional.empty());
  }

  /** Returns the settings, showing a certificate of one's own. */
  public TlsSettings showing(Certificate certificate) {
    return new TlsSettings(trusted, Optional.of(certificate));
  }
}
