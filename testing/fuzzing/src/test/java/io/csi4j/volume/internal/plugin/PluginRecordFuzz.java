package io.csi4j.volume.internal.plugin;

import io.csi4j.fuzz.Finding;
import io.csi4j.volume.internal.fields.MalformedRecordException;
import io.csi4j.volume.state.StateValue;
import java.util.Arrays;

/**
 * Records of plugins: bytes are refused as malformed or are those that are written for what they
 * say.
 */
public final class PluginRecordFuzz {

  private PluginRecordFuzz() {}

  /** Reads the bytes as a plugin. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length > StateValue.MAX_SIZE) {
      return;
    }
    try {
      PluginRecord plugin = PluginCodec.decode(StateValue.of(input));
      Finding.unless(
          Arrays.equals(PluginCodec.encode(plugin).bytes(), input),
          () -> "a plugin has other bytes");
    } catch (MalformedRecordException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
  }
}
