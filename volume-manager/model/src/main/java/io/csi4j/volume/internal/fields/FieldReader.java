package io.csi4j.volume.internal.fields;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.client.model.AccessMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;

/**
 * Reads only records in the form that {@link FieldWriter} writes: fields must be in the order of
 * their numbers, and default values must be omitted. Therefore, every valid record has exactly one
 * encoding.
 */
public final class FieldReader {

  private static final RecentTexts RECENT = new RecentTexts();

  private final byte[] bytes;
  private final int end;
  private final boolean passesOverNewer;
  private int at;
  private int last;

  /** Creates a reader of all fields in these bytes. */
  public FieldReader(byte[] bytes) {
    this(bytes, 0, bytes.length, false);
  }

  private FieldReader(byte[] bytes, int from, int end, boolean passesOverNewer) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
    this.passesOverNewer = passesOverNewer;
  }

  /**
   * Creates a reader of all fields in these bytes. Unlike other readers, it ignores additional
   * fields that a newer version wrote into a part.
   */
  public static FieldReader passingOverNewer(byte[] bytes) {
    return new FieldReader(bytes, 0, bytes.length, true);
  }

  /** Reads a number; 0 if the field is omitted. */
  public long number(int field) throws MalformedRecordException {
    if (!takes(field, FieldTag.VARINT)) {
      return 0;
    }
    long value = varint();
    if (value == 0) {
      throw wrong("has a zero");
    }
    return value;
  }

  /** Reads a number that may be zero; empty if the field is omitted. */
  public OptionalLong optional(int field) throws MalformedRecordException {
    return takes(field, FieldTag.VARINT) ? OptionalLong.of(varint()) : OptionalLong.empty();
  }

  /** Reads a boolean; false if the field is omitted. */
  public boolean flag(int field) throws MalformedRecordException {
    long value = number(field);
    if (value != 0 && value != 1) {
      throw wrong("is neither true nor false");
    }
    return value == 1;
  }

  /** Reads a text; empty if the field is omitted. Equal texts may be the same object. */
  public String text(int field) throws MalformedRecordException {
    if (!takes(field, FieldTag.LENGTH)) {
      return "";
    }
    int length = length();
    if (length == 0) {
      throw wrong("has an empty text");
    }
    String text = isAscii(length) ? RECENT.text(bytes, at, length) : decoded(length);
    at += length;
    return text;
  }

  /** Reads a repeated text; empty if the field does not occur. */
  public List<String> texts(int field) throws MalformedRecordException {
    List<String> texts = new ArrayList<>();
    for (String next = text(field); !next.isEmpty(); next = text(field)) {
      texts.add(next);
    }
    return texts;
  }

  /** Reads bytes that are not text; empty if the field is omitted. */
  public byte[] data(int field) throws MalformedRecordException {
    if (!takes(field, FieldTag.LENGTH)) {
      return new byte[0];
    }
    int length = length();
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /** Whether the text is ASCII. Nearly every text is, and ASCII needs no decoder. */
  private boolean isAscii(int length) {
    for (int i = at; i < at + length; i++) {
      if (bytes[i] < 0) {
        return false;
      }
    }
    return true;
  }

  private String decoded(int length) throws MalformedRecordException {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, length)).toString();
    } catch (CharacterCodingException e) {
      throw wrong("is not UTF-8");
    }
  }

  /** Reads the fields of a part, which is a nested message. */
  @FunctionalInterface
  public interface Fields<T> {
    /** Returns the part with these fields. */
    T read(FieldReader in) throws MalformedRecordException;
  }

  /** Reads a required part. */
  public <T> T required(int field, Fields<T> fields) throws MalformedRecordException {
    return part(field, fields)
        .orElseThrow(() -> new MalformedRecordException("Field " + field + " is missing."));
  }

  /** Reads a repeated part; empty if the field does not occur. */
  public <T> List<T> parts(int field, Fields<T> fields) throws MalformedRecordException {
    List<T> parts = new ArrayList<>();
    for (Optional<T> next = part(field, fields); next.isPresent(); next = part(field, fields)) {
      parts.add(next.get());
    }
    return parts;
  }

  /**
   * Reads a part, if the field occurs. Unknown fields in the part are rejected, unless this reader
   * was created by {@link #passingOverNewer}.
   */
  public <T> Optional<T> part(int field, Fields<T> fields) throws MalformedRecordException {
    if (!takes(field, FieldTag.LENGTH)) {
      return Optional.empty();
    }
    int length = length();
    FieldReader in = new FieldReader(bytes, at, at + length, passesOverNewer);
    T part = fields.read(in);
    in.end();
    at += length;
    return Optional.of(part);
  }

  /**
   * Reads the remaining fields without parsing them. Their numbers must be higher than the given
   * number.
   */
  public UnknownFields rest(int known) throws MalformedRecordException {
    int from = at;
    while (at < end) {
      long tag = varint();
      long field = tag >>> 3;
      if (field <= known || field < last || field > FieldTag.MAX_FIELD) {
        throw new MalformedRecordException(
            "A field is out of order or has an invalid number after field " + last + ".");
      }
      last = (int) field;
      skip((int) tag & 7);
    }
    return UnknownFields.of(Arrays.copyOfRange(bytes, from, at));
  }

  private void end() throws MalformedRecordException {
    if (passesOverNewer) {
      rest(last);
    } else if (at < end) {
      throw wrong("is followed by unexpected data");
    }
  }

  private void skip(int form) throws MalformedRecordException {
    switch (form) {
      case FieldTag.VARINT -> varint();
      case FieldTag.EIGHT -> advance(8);
      case FieldTag.FOUR -> advance(4);
      case FieldTag.LENGTH -> advance(length());
      default -> throw wrong("is written in no known form");
    }
  }

  /** Whether this field is next. If it is, its tag is consumed, and its value is read next. */
  private boolean takes(int field, int form) throws MalformedRecordException {
    int before = at;
    if (at < end && varint() == FieldTag.tag(field, form)) {
      last = field;
      return true;
    }
    at = before;
    return false;
  }

  private int length() throws MalformedRecordException {
    long length = varint();
    if (length < 0 || length > end - at) {
      throw wrong("is cut off");
    }
    return (int) length;
  }

  private void advance(int count) throws MalformedRecordException {
    if (count > end - at) {
      throw wrong("is cut off");
    }
    at += count;
  }

  private long varint() throws MalformedRecordException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) {
        throw wrong("is cut off");
      }
      byte next = bytes[at++];
      value |= (next & 0x7fL) << shift;
      if (next >= 0) {
        if ((shift > 0 && next == 0) || (shift == 63 && next > 1)) {
          break;
        }
        return value;
      }
    }
    throw wrong("has a number that is not encoded as one");
  }

  private MalformedRecordException wrong(String what) {
    return new MalformedRecordException("Field " + last + ", or the one after it, " + what + ".");
  }

  /**
   * Reads the number of the record's format, which is its first field.
   *
   * @param highest the highest format that the caller understands
   */
  public int format(int highest) throws MalformedRecordException {
    long format = number(1);
    RecordBytes.checkFormat(format, highest);
    return (int) format;
  }

  /** Returns the enum constant with this number. */
  public static <E> E named(String what, E[] all, ToIntFunction<E> numbers, long number)
      throws MalformedRecordException {
    for (E one : all) {
      if (numbers.applyAsInt(one) == number) {
        return one;
      }
    }
    throw new MalformedRecordException(
        "The " + what + " " + Long.toUnsignedString(number) + " is not known.");
  }

  /** Returns the access mode with this number in the CSI spec. */
  public static AccessMode accessMode(long number) throws MalformedRecordException {
    return named("access mode", AccessMode.values(), FieldWriter::number, number);
  }
}
