package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import java.util.List;

/** Whether jetcd is there. Nothing of it is loaded before this was asked. */
final class JetcdPresence {

  /** A class of each library whose types stand in this package. */
  private static final List<String> NEEDED =
      List.of(
          "io.etcd.jetcd.Client",
          "io.etcd.jetcd.common.exception.CompactedException",
          "io.grpc.ClientInterceptor",
          "io.netty.handler.ssl.SslContextBuilder");

  private JetcdPresence() {}

  /**
   * Returns if it is there.
   *
   * @throws ClaimStoreException saying what to add, if it is not
   */
  static void check() {
    for (String name : NEEDED) {
      try {
        Class<?> found = Class.forName(name, false, JetcdPresence.class.getClassLoader());
        // Its modules are named after their files, so that no descriptor may ask for them.
        JetcdPresence.class.getModule().addReads(found.getModule());
      } catch (ClassNotFoundException missing) {
        throw new ClaimStoreException(
            Reason.UNAVAILABLE,
            "Opening the store of claims in etcd failed: the library for etcd is not there. Add"
                + " io.etcd:jetcd-core to the class path; csi4j does not bring it along.",
            missing);
      }
    }
  }
}
