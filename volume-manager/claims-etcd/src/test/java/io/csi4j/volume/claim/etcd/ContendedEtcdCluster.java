package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.store.RecordStore;
import java.nio.file.Path;
import java.time.Duration;

/** A store in a real etcd of three members, for processes that contend. */
public final class ContendedEtcdCluster implements ContendedStore {

  private final ContendedEtcd etcd = new ContendedEtcd();

  @Override
  public String product() {
    return "etcd of three members";
  }

  @Override
  public Server start(Path directory) {
    return EtcdCluster.begin(directory);
  }

  @Override
  public RecordStore open(String address, Duration deadline) {
    return etcd.open(address, deadline);
  }

  @Override
  public void settle(RecordStore store) {
    etcd.settle(store);
  }
}
