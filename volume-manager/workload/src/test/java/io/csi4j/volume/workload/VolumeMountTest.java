package io.csi4j.volume.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.mount.model.MountPath;
import io.csi4j.mount.model.Propagation;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.workload.VolumeMount.SelinuxRelabel;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where and how a task may want to see a volume. */
class VolumeMountTest {

  @Test
  void everythingThatIsWrongIsToldAtOnce() {
    VolumeMount.Builder wrong =
        VolumeMount.builder("").destination("data/../x").propagation("shared").relabel("s0");

    assertThat(catchThrowableOfType(InvalidRequestException.class, wrong::build))
        .hasMessage(
            "The mount of volume '' is refused: volume is refused: The alias of a"
                + " volume is empty. Give the name that the host uses; destination is"
                + " refused: The path 'data/../x' is not absolute. Write it from the root"
                + " directory; propagation_mode is refused: A mount propagates 'private',"
                + " 'host-to-task' or 'bidirectional'; the given value is none of them;"
                + " selinux_label is refused: Files are labelled with 'z' for all tasks"
                + " or 'Z' for one; the given value is neither.")
        .extracting(InvalidRequestException::violations)
        .isEqualTo(wrong.violations());
  }

  @Test
  void aDestinationIsRequired() {
    assertThat(VolumeMount.builder("data").violations())
        .hasToString("[destination is missing: say where the task wants to see it]");
  }

  @ParameterizedTest
  @CsvSource({"/data, /data", "/data/, /data", "//srv///data//, /srv/data"})
  void aDestinationIsNormalised(String given, String known) {
    assertThat(VolumeMount.builder("data").destination(given).build())
        .isEqualTo(VolumeMount.of(VolumeAlias.of("data"), MountPath.of(known)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "data", "./data", "/data/..", "/../etc", "/data/./x", "/", "//", "/proc"})
  void aDestinationThatLeadsElsewhereOrCannotBeIsRefused(String destination) {
    assertThat(VolumeMount.builder("data").destination(destination).violations())
        .extracting(each -> each.field())
        .containsExactly("destination");
  }

  @Test
  void whatNoRuntimeCanDoIsRefusedWithoutTheWordsOfAJobToo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VolumeMount.of(VolumeAlias.of("data"), MountPath.of("/proc/sys")))
        .withMessage("A volume cannot be mounted at '/proc/sys'. Choose a separate directory.");
    assertThat(VolumeMount.of(VolumeAlias.of("data"), MountPath.of("/process")).destination())
        .hasToString("/process");
  }

  @Test
  void allWordsAreRead() {
    assertThat(
            VolumeMount.builder("data")
                .destination("/data")
                .readOnly(true)
                .propagation("host-to-task")
                .relabel("Z")
                .build())
        .isEqualTo(
            new VolumeMount(
                VolumeAlias.of("data"),
                MountPath.of("/data"),
                true,
                Propagation.HOST_TO_CONTAINER,
                Optional.of(SelinuxRelabel.PRIVATE)));
  }
}
