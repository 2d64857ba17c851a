package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.catalog.ClusterIdentity;
import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.StoreIdentity;
import java.util.UUID;

/** The stored form of the identity of a cluster: the messages of {@code state.proto}. */
public final class ClusterCodec implements ValueCodec<ClusterRecord> {

  /** The key of the only record. */
  public static final RecordKey KEY = new RecordKey(RecordKey.Space.CLUSTER, "identity");

  private static final int FORMAT = 1;

  /** Creates the codec, which has no state. */
  public ClusterCodec() {}

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.CLUSTER;
  }

  @Override
  public RecordKey key(ClusterRecord value) {
    return KEY;
  }

  @Override
  public String named(RecordKey key) {
    return "the identity of the cluster";
  }

  @Override
  public byte[] encode(ClusterRecord value, UUID mark, UnknownFields newer) {
    CatalogProto.Cluster cluster =
        CatalogProto.Cluster.newBuilder()
            .setFormat(FORMAT)
            .setIdentity(value.identity().value())
            .setStore(value.store().value())
            .setMarkHigh(mark.getMostSignificantBits())
            .setMarkLow(mark.getLeastSignificantBits())
            .build();
    return new RecordBytes<>(cluster, newer).bytes();
  }

  @Override
  public Decoded<ClusterRecord> decode(byte[] bytes) throws MalformedRecordException {
    RecordBytes<CatalogProto.Cluster> read =
        RecordBytes.read(CatalogProto.Cluster.parser(), bytes, FORMAT);
    CatalogProto.Cluster in = read.message();
    ClusterRecord cluster =
        RecordBytes.checked(
            "identity",
            () ->
                new ClusterRecord(
                    ClusterIdentity.of(in.getIdentity()), new StoreIdentity(in.getStore())));
    return new Decoded<>(cluster, read.newer());
  }

  @Override
  public boolean removes() {
    return false;
  }
}
