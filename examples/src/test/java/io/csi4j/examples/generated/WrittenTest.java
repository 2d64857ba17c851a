package io.csi4j.examples.generated;

import java.util.List;
import java.util.Set;

/**
 * A test as it stands in its source.
 *
 * @param module the folder of its module, such as {@code volume-manager/node}
 * @param type the name of the outermost class around it
 * @param method its name
 * @param tags the tags of the method and of the classes around it
 * @param idle why it is not run; empty if a tier of the build runs it
 * @param assertions the assertions in its body, in order
 */
record WrittenTest(
    String module,
    String type,
    String method,
    Set<String> tags,
    String idle,
    List<WrittenAssertion> assertions) {

  /** Class and method, as surefire takes them. */
  String name() {
    return type + "#" + method;
  }

  /** True if only the campaigns run it. */
  boolean isCampaign() {
    return tags.contains("campaign");
  }
}
