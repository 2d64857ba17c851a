package io.csi4j.mount.internal.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.mount.internal.kernel.Abi;
import io.csi4j.mount.internal.kernel.Kernel;
import io.csi4j.mount.internal.kernel.KernelFeatures;
import io.csi4j.mount.internal.kernel.ScriptedCalls;
import io.csi4j.mount.internal.kernel.Struct;
import io.csi4j.mount.model.KernelText;
import io.csi4j.mount.model.MountException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Structures as {@code statmount} fills them, and as no kernel should. */
class StatmountBytesTest {

  private static final String BOOT = "00000000-0000-4000-8000-000000000000";

  /** Found by fuzzing: the complaint of a value was thrown instead of the failure of a mount. */
  @Test
  void aDeviceThatCannotBeIsAFailure() {
    StatmountReader reader =
        reader(
            out -> {
              Struct.u64(
                  out,
                  Abi.STATMOUNT_AT_MASK,
                  Abi.STATMOUNT_SB_SOURCE | Abi.STATMOUNT_SB_BASIC | Abi.STATMOUNT_MNT_POINT);
              Struct.u32(out, Abi.STATMOUNT_AT_SB_DEV_MAJOR, -1);
              out[Abi.STATMOUNT_STRINGS] = '/';
            });
    assertThatExceptionOfType(MountException.class)
        .isThrownBy(() -> reader.record(7))
        .withMessageStartingWith(
            "Reading mount 7 failed: the kernel returned a structure that no mount")
        .extracting(MountException::reason)
        .isEqualTo(MountException.Reason.OTHER);
  }

  /**
   * A reader of one mount, of which the kernel tells the type only, as a text that begins there.
   */
  private static StatmountReader typeAt(int place) {
    return reader(
        out -> {
          Struct.u64(out, Abi.STATMOUNT_AT_MASK, Abi.STATMOUNT_FS_TYPE);
          Struct.u32(out, Abi.STATMOUNT_AT_FS_TYPE, place);
          out[Abi.STATMOUNT_STRINGS + 1] = 'x';
        });
  }

  private static StatmountReader reader(Consumer<byte[]> structure) {
    ScriptedCalls.Answer answer =
        (call, arguments) -> {
          if (!call.equals("statmount")) {
            return -Abi.ENOSYS;
          }
          structure.accept((byte[]) arguments[1]);
          return 0;
        };
    return new StatmountReader(
        new Kernel(
            ScriptedCalls.answering(answer),
            KernelFeatures.probe(ScriptedCalls.answering((call, arguments) -> -Abi.ENOSYS)),
            BOOT,
            "6.13.0"));
  }

  @Test
  void aTextBeginsWhereTheStructureSays() {
    assertThat(typeAt(1).type(7)).contains(KernelText.of("x"));
    assertThat(typeAt(1024 - Abi.STATMOUNT_STRINGS).type(7)).contains(KernelText.of(""));
  }

  /** Found by fuzzing: an index out of bounds was thrown instead of the failure of a mount. */
  @ParameterizedTest
  @ValueSource(ints = {1025 - Abi.STATMOUNT_STRINGS, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
  void aTextOutsideOfTheStructureIsAFailure(int place) {
    assertThatExceptionOfType(MountException.class)
        .isThrownBy(() -> typeAt(place).type(7))
        .withMessageStartingWith(
            "Reading mount 7 failed: the kernel returned a structure that no mount")
        .extracting(MountException::reason)
        .isEqualTo(MountException.Reason.OTHER);
  }
}
