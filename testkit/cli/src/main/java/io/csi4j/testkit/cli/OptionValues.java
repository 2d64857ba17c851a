package io.csi4j.testkit.cli;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.conformance.PluginConformance;
import io.csi4j.conformance.model.ConformanceCase;
import io.csi4j.testkit.model.Quirk;
import io.csi4j.testkit.model.ShapePreset;
import io.csi4j.volume.catalog.VolumeSummary;
import java.util.Arrays;
import java.util.Iterator;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Values of options and parameters, with which a shell completes command lines. In one command,
 * options with different values must have different labels, because picocli's script names the
 * lists of values by the labels.
 */
abstract class OptionValues implements Iterable<String> {

  static final AccessMode[] ACCESS_MODES =
      Arrays.stream(AccessMode.values())
          .filter(each -> each != AccessMode.UNSPECIFIED && each != AccessMode.UNRECOGNIZED)
          .toArray(AccessMode[]::new);

  private final Supplier<Stream<String>> all;

  OptionValues(Supplier<Stream<String>> all) {
    this.all = all;
  }

  OptionValues(Enum<?>... constants) {
    this(() -> Arrays.stream(constants).map(OptionText::written));
  }

  @Override
  public Iterator<String> iterator() {
    return all.get().iterator();
  }

  /** The shapes of test plugins. */
  static final class Shapes extends OptionValues {
    Shapes() {
      super(ShapePreset.values());
    }
  }

  /** The quirks of test plugins. */
  static final class Quirks extends OptionValues {
    Quirks() {
      super(Quirk.values());
    }
  }

  /** The capabilities that can be removed from a test plugin. */
  static final class Capabilities extends OptionValues {
    Capabilities() {
      super(ShapeOptions::capabilities);
    }
  }

  /** The access modes of volumes. */
  static final class AccessModes extends OptionValues {
    AccessModes() {
      super(ACCESS_MODES);
    }
  }

  /** The names of the CSI calls. */
  static final class Calls extends OptionValues {
    Calls() {
      super(() -> Arrays.stream(CsiOperation.values()).map(CsiOperation::rpcName));
    }
  }

  /** The cases of the conformance suite. */
  static final class Cases extends OptionValues {
    Cases() {
      super(() -> PluginConformance.cases().stream().map(ConformanceCase::name));
    }
  }

  /** The states of volumes in a catalog. */
  static final class VolumeStates extends OptionValues {
    VolumeStates() {
      super(VolumeSummary.State.values());
    }
  }

  /** The shells for which a completion script exists. */
  static final class Shells extends OptionValues {
    Shells() {
      super(() -> Stream.of("bash", "zsh", "fish"));
    }
  }
}
