package io.csi4j.volume.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Messages as version 1 has written them, which every later version reads: hexadecimal digits, and
 * the JSON for people. A kept file is never written again; {@code -Dcsi4j.regenerate=true} makes
 * those of a new kind.
 */
public final class GoldenMessages {

  private GoldenMessages() {}

  /**
   * Returns the kept message, after it was compared with what this version writes for it.
   *
   * @param folder where it is in the checkout: the tests of some modules run in another directory
   */
  public static ClusterMessage kept(String folder, String name, ClusterMessage now)
      throws IOException {
    Path files = Path.of(System.getProperty("csi4j.root", "."), folder);
    String file = name.toLowerCase(Locale.ROOT).replace('_', '-');
    Path hex = files.resolve(file + ".hex");
    Path json = files.resolve(file + ".json");
    if (Boolean.getBoolean("csi4j.regenerate") && Files.notExists(hex)) {
      Files.writeString(hex, lines(HexFormat.of().formatHex(now.encode())));
      Files.writeString(json, now.json() + "\n");
    }
    byte[] bytes = HexFormat.of().parseHex(Files.readString(hex).replace("\n", ""));
    assertThat(now.encode()).as("written as it always was").isEqualTo(bytes);
    ClusterMessage kept = ClusterMessage.decode(bytes);
    assertThat(kept.json() + "\n").as("shown as it always was").isEqualTo(Files.readString(json));
    return kept;
  }

  private static String lines(String digits) {
    return digits.replaceAll("(.{1,100})", "$1\n");
  }
}
