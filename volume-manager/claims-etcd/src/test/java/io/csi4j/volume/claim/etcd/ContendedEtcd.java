package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.store.RecordStore;
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
  public RecordStore open(String address, Duration deadline) {
    return EtcdStore.open(EtcdSettings.builder(URI.create(address)).deadline(deadline).build());
  }

  @Override
  public void settle(RecordStore store) {
    ((EtcdStore) store).settle();
  }
}
