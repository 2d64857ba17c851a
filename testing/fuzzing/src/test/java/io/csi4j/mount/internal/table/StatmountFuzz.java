package io.csi4j.mount.internal.table;

import io.csi4j.fuzz.Finding;
import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.Syscalls;
import io.csi4j.mount.model.MountException;
import io.csi4j.mount.model.MountRecord;

/**
 * The structure that {@code statmount} fills, with any bytes in it: a mount, none, or the typed
 * failure; and never a wait or a read beyond its end.
 */
public final class StatmountFuzz {

  private static final String BOOT = "00000000-0000-4000-8000-000000000000";
  private static final KernelFeatures NONE =
      KernelFeatures.probe(ScriptedCalls.answering((call, arguments) -> -Abi.ENOSYS));

  private StatmountFuzz() {}

  /** Reads the mount whose structure has these bytes. */
  public static void fuzzerTestOneInput(byte[] input) {
    StatmountReader reader =
        new StatmountReader(new Kernel(calls(input), NONE, BOOT, "6.13.0-fuzzed"));
    try {
      reader.path(7);
      reader.type(7);
      reader.parent(7);
      reader.textId(7);
      reader.record(7).ifPresent(StatmountFuzz::hold);
    } catch (MountException refused) {
      Finding.unlessOneLine(String.valueOf(refused.getMessage()));
    }
  }

  private static void hold(MountRecord record) {
    Finding.unlessOneLine(record.toString());
  }

  /** A kernel that says all there is to say of the mount, so that no text is looked into. */
  private static Syscalls calls(byte[] input) {
    return ScriptedCalls.answering(
        (call, arguments) -> {
          if (!call.equals("statmount")) {
            return -Abi.ENOSYS;
          }
          byte[] out = (byte[]) arguments[1];
          if (input.length > out.length) {
            return -Abi.EOVERFLOW;
          }
          java.util.Arrays.fill(out, (byte) 0);
          System.arraycopy(input, 0, out, 0, input.length);
          out[Abi.STATMOUNT_AT_MASK + 1] |= (byte) (Abi.STATMOUNT_SB_SOURCE >> 8);
          return 0;
        });
  }
}
