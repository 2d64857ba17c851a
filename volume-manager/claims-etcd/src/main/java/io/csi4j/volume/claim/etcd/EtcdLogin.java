package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.internal.names.Names;
import java.util.Objects;

/**
 * The user name and password with which this process logs in to etcd. The user needs a role that
 * may read and write keys with the configured prefix. Has value equality. The password is never
 * shown as text or logged.
 *
 * @since 1.0
 */
public final class EtcdLogin {

  private final String user;
  private final String password;

  private EtcdLogin(String user, String password) {
    Names.check("user of etcd", user);
    if (password.isEmpty()) {
      throw new IllegalArgumentException(
          "The password for etcd is empty. Set the password of the user.");
    }
    this.user = user;
    this.password = password;
  }

  /** Returns a login for this user. The password is copied. */
  public static EtcdLogin of(String user, char[] password) {
    return new EtcdLogin(user, String.valueOf(password));
  }

  /** Returns the name of the user. */
  public String user() {
    return user;
  }

  String password() {
    return password;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EtcdLogin login
        && login.user.equals(user)
        && login.password.equals(password);
  }

  @Override
  public int hashCode() {
    return Objects.hash(user, password);
  }

  @Override
  public String toString() {
    return "EtcdLogin[user=" + user + ", password=(password)]";
  }
}
