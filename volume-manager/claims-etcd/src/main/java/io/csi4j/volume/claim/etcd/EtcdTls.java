package io.csi4j.volume.claim.etcd;

import java.util.Objects;
import java.util.Optional;

/**
 * Whom to trust, and who one is oneself, on an encrypted connection.
 *
 * @param trusted the certificates of those who sign for etcd; those of the JVM if nothing is given
 * @param client the certificate shown to etcd, where it asks for one
 * @since 1.0
 */
public record EtcdTls(Optional<Pem> trusted, Optional<ClientCertificate> client) {

  /**
   * The identity of a client.
   *
   * @param chain the certificate, and those between it and the one that etcd trusts
   * @param key the private key of it, as PKCS #8 and not encrypted
   */
  public record ClientCertificate(Pem chain, Pem key) {

    /** Checks that both are there. */
    public ClientCertificate {
      Objects.requireNonNull(chain, "chain");
      Objects.requireNonNull(key, "key");
    }
  }

  /** Checks that all parts are there. */
  public EtcdTls {
    Objects.requireNonNull(trusted, "trusted");
    Objects.requireNonNull(client, "client");
  }

  /** Trusts what the JVM trusts. */
  public static EtcdTls asTheJvm() {
    return new EtcdTls(Optional.empty(), Optional.empty());
  }

  /** Trusts what these sign, and nothing else. */
  public static EtcdTls trusting(Pem certificates) {
    return new EtcdTls(Optional.of(certificates), Optional.empty());
  }

  /** Returns the settings, showing a certificate of one's own. */
  public EtcdTls showing(ClientCertificate certificate) {
    return new EtcdTls(trusted, Optional.of(certificate));
  }
}
