package io.csi4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Processes that csi4j starts: plugins, where the host wants them started. None helps with a mount
 * or an unmount, so none can fail to start, hang or be left behind there.
 */
class HelperProcessesTest {

  private static final Set<String> STARTING =
      Set.of("java.lang.ProcessBuilder", "java.lang.Runtime.exec");

  private static Set<String> starting(JavaClasses classes) {
    Set<String> packages = new TreeSet<>();
    classes.forEach(
        type ->
            type.getCodeUnitCallsFromSelf().stream()
                .filter(
                    call ->
                        STARTING.contains(call.getTargetOwner().getName())
                            || STARTING.contains(
                                call.getTargetOwner().getName() + "." + call.getName()))
                .forEach(call -> packages.add(type.getPackageName())));
    return packages;
  }

  @Tag("I-9")
  @Tag("I-10")
  @Test
  void noHelperIsStartedToMountOrUnmount() {
    Set<String> found = starting(PublishedModules.all());

    assertThat(found)
        .as("I-9 I-10: no process is started but plugins and what the testkit and its suites run")
        .contains("io.csi4j.volume.plugin.launch")
        .allMatch(
            name ->
                name.equals("io.csi4j.volume.plugin.launch")
                    || name.startsWith("io.csi4j.testkit")
                    || name.startsWith("io.csi4j.conformance"));
  }
}
