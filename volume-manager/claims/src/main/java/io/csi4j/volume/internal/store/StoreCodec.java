package io.csi4j.volume.internal.store;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.RecordBytes;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.internal.store.proto.StoreProto;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.internal.text.HashedName;
import io.csi4j.volume.model.Namespace;
import io.csi4j.volume.model.VolumeKey;
import io.csi4j.volume.state.StateKey;
import io.csi4j.volume.state.StateValue;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordKey.Space;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.StoreIdentity;
import io.csi4j.volume.store.StoredRecord;
import io.csi4j.volume.store.shared.RecordName;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Encodes the identity, the marks and the local records of stores, as the messages that {@code
 * store.proto} defines and documents.
 */
public final class StoreCodec {

  private static final int FORMAT = 1;
  private static final int LOCAL_FORMAT = 3;

  /**
   * The version that is assumed for catalog records of old csi4j versions, which wrote no version.
   */
  private static final long FIRST_VERSION = 1;

  private StoreCodec() {}

  /** Encodes the identity of a store. */
  public static byte[] encode(StoreIdentity identity) {
    return StoreProto.Identity.newBuilder()
        .setFormat(FORMAT)
        .setText(identity.value())
        .build()
        .toByteArray();
  }

  /**
   * Decodes the identity of a store.
   *
   * @param what the subject of the failure message, such as {@code the identity of the store}
   * @throws RecordStoreException if the bytes cannot be decoded
   */
  public static StoreIdentity identity(byte[] bytes, String what) {
    try {
      StoreProto.Identity in =
          RecordBytes.read(StoreProto.Identity.parser(), bytes, FORMAT).whole().message();
      return RecordBytes.checked("identity", () -> new StoreIdentity(in.getText()));
    } catch (MalformedRecordException e) {
      throw unreadable(what, e);
    }
  }

  private static RecordStoreException unreadable(String what, MalformedRecordException cause) {
    return RecordStoreException.unreadable(
        "Reading " + ForeignText.of(what) + " failed: " + cause.getMessage(), cause);
  }

  /**
   * Encodes the mark of a move.
   *
   * @param mark the unique mark of this write
   * @param newer the unknown fields of a newer version, which are kept
   */
  static byte[] encode(MoveMark move, UUID mark, UnknownFields newer) {
    StoreProto.Move message =
        StoreProto.Move.newBuilder()
            .setFormat(FORMAT)
            .setOther(move.other().value())
            .setComesIn(move.comesIn())
            .setIsComplete(move.isComplete())
            .setMarkHigh(mark.getMostSignificantBits())
            .setMarkLow(mark.getLeastSignificantBits())
            .build();
    return new RecordBytes<>(message, newer).bytes();
  }

  /** Decodes the mark of a move. */
  static ValueCodec.Decoded<MoveMark> move(byte[] bytes) throws MalformedRecordException {
    RecordBytes<StoreProto.Move> read = RecordBytes.read(StoreProto.Move.parser(), bytes, FORMAT);
    StoreProto.Move in = read.message();
    MoveMark move =
        RecordBytes.checked(
            "other",
            () ->
                new MoveMark(
                    new StoreIdentity(in.getOther()), in.getComesIn(), in.getIsComplete()));
    return new ValueCodec.Decoded<>(move, read.newer());
  }

  /** Encodes the highest version that the store may have used. */
  public static StateValue floor(long version) {
    return StateValue.of(
        StoreProto.Floor.newBuilder().setFormat(FORMAT).setVersion(version).build().toByteArray());
  }

  /**
   * Decodes the highest version that the store may have used.
   *
   * @throws RecordStoreException if the value cannot be decoded
   */
  public static long floor(StateValue value) {
    try {
      return RecordBytes.read(StoreProto.Floor.parser(), value.bytes(), FORMAT)
          .message()
          .getVersion();
    } catch (MalformedRecordException e) {
      throw unreadable("the versions of the store", e);
    }
  }

  /** Returns the key of a record in the state of a local store. */
  public static StateKey stateKey(RecordKey key) {
    Optional<VolumeKey> volume = key.volume();
    return switch (key.space()) {
      case CLAIMS ->
          StateKey.claim(
              volume
                  .map(it -> HashedName.of(it.namespace().value(), it.id()))
                  .orElseGet(() -> hashed(key)));
      case VOLUMES ->
          StateKey.catalog(volume.map(HashedName::inCatalog).orElseGet(() -> hashed(key)));
      case CLUSTER -> StateKey.catalog(hashed(key));
    };
  }

  private static String hashed(RecordKey key) {
    return HashedName.of("record", key.space().name().toLowerCase(Locale.ROOT), key.name());
  }

  /**
   * Encodes a record for the state of a local store.
   *
   * @throws io.csi4j.volume.state.StateException if the encoded record is too large
   */
  public static StateValue local(StoredRecord record) {
    return StateValue.ofWrapped(
        StoreProto.LocalRecord.newBuilder()
            .setFormat(LOCAL_FORMAT)
            .setVersion(record.version())
            .setName(ByteString.copyFrom(RecordName.bytes(record.key().name())))
            .setValue(ByteString.copyFrom(record.value().bytes()))
            .build()
            .toByteArray());
  }

  /**
   * Decodes a record from the state of a local store. Also decodes records of old csi4j versions,
   * whose bytes do not contain a key and a version. If the bytes contain no key, or a wrong key,
   * the text of the state's key becomes the name of the record.
   */
  public static StoredRecord local(StateKey key, StateValue kept) {
    byte[] bytes = kept.bytes();
    Optional<StoredRecord> record =
        format(bytes) < LOCAL_FORMAT ? former(key.kind(), bytes) : local(key, bytes);
    // The key is a hash of the record's name, and therefore proves the name.
    return record
        .filter(it -> stateKey(it.key()).equals(key))
        .orElseGet(
            () ->
                new StoredRecord(
                    new RecordKey(
                        key.kind() == StateKey.Kind.CLAIM ? Space.CLAIMS : Space.VOLUMES,
                        key.toString()),
                    record.map(StoredRecord::version).orElse(FIRST_VERSION),
                    record.map(StoredRecord::value).orElse(kept)));
  }

  private static long format(byte[] bytes) {
    try {
      CodedInputStream in = CodedInputStream.newInstance(bytes);
      return in.readTag() == 1 << 3 ? in.readUInt64() : 0;
    } catch (IOException none) {
      return 0;
    }
  }

  private static Optional<StoredRecord> local(StateKey key, byte[] bytes) {
    try {
      StoreProto.LocalRecord in = StoreProto.LocalRecord.parser().parsePartialFrom(bytes);
      String name = RecordName.text(in.getName().toByteArray());
      if (name.isEmpty()) {
        return Optional.empty();
      }
      RecordKey own =
          Stream.of(Space.values())
              .map(space -> new RecordKey(space, name))
              .filter(it -> stateKey(it).equals(key))
              .findFirst()
              .orElseGet(() -> new RecordKey(Space.CLAIMS, name));
      return Optional.of(
          in.getFormat() == LOCAL_FORMAT && in.getUnknownFields().getSerializedSize() == 0
              ? StoredRecord.of(own, in.getVersion(), in.getValue().toByteArray())
              : StoredRecord.of(own, FIRST_VERSION, bytes));
    } catch (InvalidProtocolBufferException none) {
      return Optional.empty();
    }
  }

  private static Optional<StoredRecord> former(StateKey.Kind kind, byte[] bytes) {
    try {
      if (kind == StateKey.Kind.CLAIM) {
        StoreProto.FormerClaim in = StoreProto.FormerClaim.parser().parsePartialFrom(bytes);
        return Optional.of(
            StoredRecord.of(
                key(Space.CLAIMS, in.getVolume().getNamespace(), in.getVolume().getId()),
                in.getVersion(),
                bytes));
      }
      StoreProto.FormerVolume in = StoreProto.FormerVolume.parser().parsePartialFrom(bytes);
      return Optional.of(
          StoredRecord.of(key(Space.VOLUMES, in.getNamespace(), in.getId()), FIRST_VERSION, bytes));
    } catch (InvalidProtocolBufferException | IllegalArgumentException none) {
      return Optional.empty();
    }
  }

  private static RecordKey key(Space space, String namespace, String id) {
    return RecordKey.of(space, VolumeKey.of(Namespace.of(namespace), id));
  }
}
