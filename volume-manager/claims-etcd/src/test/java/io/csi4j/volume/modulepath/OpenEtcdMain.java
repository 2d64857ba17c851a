package io.csi4j.volume.modulepath;

import io.csi4j.volume.claim.etcd.EtcdClaimStore;
import io.csi4j.volume.claim.etcd.EtcdSettings;
import io.csi4j.volume.claim.spi.ClaimStoreException;
import java.net.URI;

/** Tells in which module the store is, and what comes of opening it. */
final class OpenEtcdMain {

  private OpenEtcdMain() {}

  /** With the endpoints. */
  public static void main(String[] endpoints) {
    System.out.println(EtcdClaimStore.class.getModule().getName());
    for (String endpoint : endpoints) {
      try (EtcdClaimStore store = EtcdClaimStore.open(EtcdSettings.of(URI.create(endpoint)))) {
        System.out.println(store.identity());
      } catch (ClaimStoreException e) {
        System.out.println(e.getMessage());
      }
    }
  }
}
