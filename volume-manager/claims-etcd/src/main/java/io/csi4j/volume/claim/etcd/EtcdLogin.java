package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.names.Names;
import java.util.Objects;

/**
 * The user with which this process logs in to etcd. The user needs a role that may read and write
 * below the prefix.
 *
 * @param user the name
 * @param password the password
 * @since 1.0
 */
public record EtcdLogin(String user, EtcdPassword password) {

  /** Checks that both are present. */
  public EtcdLogin {
    Names.check("user of etcd", user);
    Objects.requireNonNull(password, "password");
  }
}
