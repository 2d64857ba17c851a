package io.csi4j.volume.internal.catalog;

import io.csi4j.volume.internal.catalog.proto.CatalogProto;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.ValueCodec;
import io.csi4j.volume.store.RecordKey;
import java.util.UUID;

/**
 * The form of sessions in a store, and of the record that names the session with the upkeep: the
 * messages of {@code state.proto}.
 */
public final class SessionCodec implements ValueCodec<SessionRecord> {

  private static final int FORMAT = 1;
  private static final String PREFIX = "session/";

  /** The key of the record that names the session with the upkeep. */
  public static final RecordKey UPKEEP = new RecordKey(RecordKey.Space.CLUSTER, "upkeep");

  private final boolean isOfUpkeep;

  private SessionCodec(boolean isOfUpkeep) {
    this.isOfUpkeep = isOfUpkeep;
  }

  /** Returns the form of the records of sessions, each under a key of its own. */
  public static SessionCodec ofSessions() {
    return new SessionCodec(false);
  }

  /** Returns the form of the one record that names the session with the upkeep. */
  public static SessionCodec ofUpkeep() {
    return new SessionCodec(true);
  }

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.CLUSTER;
  }

  @Override
  public RecordKey key(SessionRecord value) {
    return isOfUpkeep ? UPKEEP : key(value.owner());
  }

  /** Returns the key of the record of a session. */
  public static RecordKey key(CatalogWork.Owner owner) {
    return new RecordKey(RecordKey.Space.CLUSTER, PREFIX + owner.session());
  }

  @Override
  public String named(RecordKey key) {
    return isOfUpkeep
        ? "the record of the control plane that has the upkeep"
        : "the session of a control plane '" + key.name() + "'";
  }

  @Override
  public byte[] encode(SessionRecord value, UUID mark, UnknownFields newer) {
    CatalogProto.Session session =
        CatalogProto.Session.newBuilder()
            .setFormat(FORMAT)
            .setSession(value.owner().session())
            .setControlPlane(value.owner().controlPlane())
            .setRenewal(value.renewal())
            .setMarkHigh(mark.getMostSignificantBits())
            .setMarkLow(mark.getLeastSignificantBits())
            .build();
    return new RecordBytes<>(session, newer).bytes();
  }

  @Override
  public Decoded<SessionRecord> decode(byte[] bytes) throws MalformedRecordException {
    RecordBytes<CatalogProto.Session> read =
        RecordBytes.read(CatalogProto.Session.parser(), bytes, FORMAT);
    CatalogProto.Session in = read.message();
    SessionRecord session =
        RecordBytes.checked(
            "session",
            () ->
                new SessionRecord(
                    new CatalogWork.Owner(in.getSession(), in.getControlPlane()), in.getRenewal()));
    return new Decoded<>(session, read.newer());
  }

  @Override
  public boolean removes() {
    return true;
  }
}
