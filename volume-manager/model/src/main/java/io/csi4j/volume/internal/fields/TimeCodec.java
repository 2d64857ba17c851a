package io.csi4j.volume.internal.fields;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/** The form of times: seconds, and the nanoseconds on top. */
public final class TimeCodec {

  private static final long SECOND = 1_000_000_000;

  private TimeCodec() {}

  public static FieldWriter encode(Duration time) {
    return new FieldWriter().number(1, time.getSeconds()).number(2, time.getNano());
  }

  public static FieldWriter encode(Instant time) {
    return new FieldWriter().number(1, time.getEpochSecond()).number(2, time.getNano());
  }

  public static Duration duration(FieldReader in) throws MalformedRecordException {
    long seconds = in.number(1);
    return Duration.ofSeconds(seconds, nanos(in));
  }

  public static Instant instant(FieldReader in) throws MalformedRecordException {
    long seconds = in.number(1);
    long nanos = nanos(in);
    try {
      return Instant.ofEpochSecond(seconds, nanos);
    } catch (DateTimeException | ArithmeticException e) {
      throw new MalformedRecordException("A time is beyond all times.");
    }
  }

  private static long nanos(FieldReader in) throws MalformedRecordException {
    long nanos = in.number(2);
    in.end();
    if (nanos < 0 || nanos >= SECOND) {
      throw new MalformedRecordException("A time has too many nanoseconds.");
    }
    return nanos;
  }
}
