package io.csi4j.volume.internal.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.internal.fields.UnknownFields;
import io.csi4j.volume.store.RecordKey;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.util.UUID;

/**
 * Words of at most 8 letters, by their first letter: a mark, then the word, then what a newer
 * version wrote behind a plus sign.
 */
record Words(boolean removes) implements ValueCodec<String> {

  private static final int MARK = UUID.randomUUID().toString().length();
  private static final int LONGEST = 8;

  static final RecordKey A = new RecordKey(RecordKey.Space.VOLUMES, "a");
  static final RecordKey B = new RecordKey(RecordKey.Space.VOLUMES, "b");

  @Override
  public RecordKey.Space space() {
    return RecordKey.Space.VOLUMES;
  }

  @Override
  public RecordKey key(String value) {
    return new RecordKey(space(), value.substring(0, 1));
  }

  @Override
  public String named(RecordKey key) {
    return "the word '" + key.name() + "'";
  }

  @Override
  public byte[] encode(String value, UUID mark, UnknownFields newer) {
    if (value.length() > LONGEST) {
      throw new RecordStoreException(Reason.TOO_LARGE, "The word '" + value + "' is too long.");
    }
    return (mark + value + new String(newer.bytes(), UTF_8)).getBytes(UTF_8);
  }

  @Override
  public Decoded<String> decode(byte[] bytes) throws MalformedRecordException {
    String text = new String(bytes, UTF_8);
    if (text.length() <= MARK) {
      throw new MalformedRecordException("It is no word.");
    }
    int plus = text.indexOf('+');
    int end = plus < 0 ? text.length() : plus;
    return new Decoded<>(
        text.substring(MARK, end), UnknownFields.of(text.substring(end).getBytes(UTF_8)));
  }
}
