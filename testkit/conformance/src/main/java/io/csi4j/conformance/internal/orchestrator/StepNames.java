package io.csi4j.conformance.internal.orchestrator;

import io.csi4j.client.model.CsiOperation;
import java.util.List;

/** The six steps of a volume's life on a node, by the names that scenarios call them. */
final class StepNames {

  /** In the order in which they come. */
  static final List<CsiOperation> STEPS =
      List.of(
          CsiOperation.CONTROLLER_PUBLISH_VOLUME,
          CsiOperation.NODE_STAGE_VOLUME,
          CsiOperation.NODE_PUBLISH_VOLUME,
          CsiOperation.NODE_UNPUBLISH_VOLUME,
          CsiOperation.NODE_UNSTAGE_VOLUME,
          CsiOperation.CONTROLLER_UNPUBLISH_VOLUME);

  /** Those that make a volume usable. */
  static final List<CsiOperation> DOING = STEPS.subList(0, 3);

  private StepNames() {}

  static String of(CsiOperation step) {
    return switch (step) {
      case CONTROLLER_PUBLISH_VOLUME -> "attach";
      case NODE_STAGE_VOLUME -> "stage";
      case NODE_PUBLISH_VOLUME -> "publish";
      case NODE_UNPUBLISH_VOLUME -> "unpublish";
      case NODE_UNSTAGE_VOLUME -> "unstage";
      case CONTROLLER_UNPUBLISH_VOLUME -> "detach";
      default -> throw new IllegalArgumentException(step + " is no step");
    };
  }
}
