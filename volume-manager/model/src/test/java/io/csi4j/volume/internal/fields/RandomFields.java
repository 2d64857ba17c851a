package io.csi4j.volume.internal.fields;

import java.util.Random;

/** Random parts of records, for the tests of every codec. */
public final class RandomFields {

  private RandomFields() {}

  /** Fields with higher numbers than this one. */
  public static UnknownFields unknown(Random random, int known) {
    FieldWriter fields = new FieldWriter();
    int field = known;
    for (int i = random.nextInt(4); i > 0; i--) {
      field += 1 + random.nextInt(1000);
      if (random.nextBoolean()) {
        fields.number(field, random.nextLong());
      } else {
        fields.text(field, text(random));
      }
    }
    return UnknownFields.of(fields.bytes());
  }

  public static <E> E one(Random random, E[] all) {
    return all[random.nextInt(all.length)];
  }

  public static String name(Random random) {
    return random.nextInt(10) + text(random);
  }

  public static String text(Random random) {
    int[] points =
        random
            .ints(random.nextInt(20), 0, 0x10ffff)
            .map(point -> random.nextInt(4) > 0 ? 0x20 + point % 0x5f : point)
            .filter(point -> !Character.isISOControl(point))
            .filter(point -> point < Character.MIN_SURROGATE || point > Character.MAX_SURROGATE)
            .toArray();
    return new String(points, 0, points.length);
  }
}
