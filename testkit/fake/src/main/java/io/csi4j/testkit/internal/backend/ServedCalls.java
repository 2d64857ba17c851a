package io.csi4j.testkit.internal.backend;

import io.csi4j.client.controller.ControllerCapability;
import io.csi4j.client.group.GroupControllerCapability;
import io.csi4j.client.identity.PluginCapability;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.StatusCode;
import io.csi4j.client.node.NodeCapability;
import io.csi4j.testkit.internal.spec.CallNeeds;
import io.csi4j.testkit.journal.WireMessage;
import io.csi4j.testkit.model.PluginShape;
import java.util.List;

/**
 * Decides from a plugin's capabilities which calls the plugin serves and which fields it accepts.
 */
final class ServedCalls {

  private ServedCalls() {}

  static void check(CsiOperation operation, Call call) throws Refusal {
    PluginShape shape = call.shape();
    CsiOperation.Service service = operation.service();
    if (service == CsiOperation.Service.NODE) {
      need(operation, call.node() != null, "the node service, which another socket serves");
    } else if (service != CsiOperation.Service.IDENTITY) {
      String offered = service.name() + "_SERVICE";
      need(operation, offers(shape, "PLUGIN", offered), offered);
    }
    List<String> anyOf = CallNeeds.of(operation).capabilities();
    if (!anyOf.isEmpty()) {
      boolean any = anyOf.stream().anyMatch(each -> offers(shape, service.name(), each));
      need(operation, any, anyOf.get(0));
    }
  }

  /** Refuses a field that needs a capability which the plugin does not offer. */
  static void checkFields(CsiOperation operation, PluginShape shape, WireMessage request)
      throws Refusal {
    for (CallNeeds.FieldNeed need : CallNeeds.of(operation).optionalFields()) {
      if (need.isIn(request) && !offers(shape, need.part(), need.capability())) {
        throw Refusal.invalid(
            need.path().replace('/', '.'),
            "needs the capability " + need.capability() + ". Leave it out.");
      }
    }
  }

  private static boolean offers(PluginShape shape, String part, String capability) {
    return switch (part) {
      case "CONTROLLER" -> shape.offers(ControllerCapability.valueOf(capability));
      case "NODE" -> shape.offers(NodeCapability.valueOf(capability));
      case "GROUP_CONTROLLER" -> shape.offers(GroupControllerCapability.valueOf(capability));
      default -> shape.offers(PluginCapability.valueOf(capability));
    };
  }

  private static void need(CsiOperation operation, boolean offered, String what) throws Refusal {
    if (!offered) {
      throw new Refusal(
          StatusCode.UNIMPLEMENTED,
          operation.rpcName()
              + " is not served: this plugin does not offer "
              + what
              + ". Read its capabilities before calling.");
    }
  }
}
