package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.claim.spi.ClaimStore;
import io.csi4j.volume.contend.ContendedStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** A store in a real etcd, for processes that contend. */
public final class ContendedEtcd implements ContendedStore {

  @Override
  public String product() {
    return "etcd";
  }

  @Override
  public Server start(Path directory) {
    return EtcdServer.start(directory);
  }

  @Override
  public ClaimStore open(String address, Duration deadline) {
    return EtcdClaimStore.open(
        EtcdSettings.builder(URI.create(address)).deadline(deadline).build());
  }

  @Override
  public void settle(ClaimStore store) {
    ((EtcdClaimStore) store).settle();
  }
}
