package io.csi4j.volume.claim.etcd;

import io.csi4j.volume.contend.ContendedStore;
import io.csi4j.volume.store.RecordStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

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
    URI[] members = Stream.of(address.split(",", -1)).map(URI::create).toArray(URI[]::new);
    return EtcdStore.open(EtcdSettings.builder(members).deadline(deadline).build());
  }

  @Override
  public void settle(RecordStore store) {
    ((EtcdStore) store).settle();
  }
}
