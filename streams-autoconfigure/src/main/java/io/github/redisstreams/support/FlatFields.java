package io.github.redisstreams.support;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds the tree that flat field names stand for, as the hash mappers of Spring Data
 * Redis write them: {@code address.city}, {@code tags.[0]}, {@code prices.[EUR]}. Fields
 * in which those mappers keep class names are left out: no entry decides which class is
 * created.
 */
final class FlatFields {

	private FlatFields() {
	}

	static Map<String, Object> toTree(Map<String, String> fields) {
		Map<String, Object> root = new LinkedHashMap<>();
		fields.forEach((name, value) -> {
			String[] path = name.split("\\.");
			String last = (path.length > 0) ? path[path.length - 1] : name;
			if (last.equals("_class") || last.equals("@class")) {
				return;
			}
			if (path.length <= 1 || !put(root, path, value)) {
				root.put(name, value);
			}
		});
		return withLists(root);
	}

	@SuppressWarnings("unchecked")
	private static boolean put(Map<String, Object> root, String[] path, String value) {
		Map<String, Object> node = root;
		for (int i = 0; i < path.length - 1; i++) {
			Object child = node.computeIfAbsent(path[i], (key) -> new LinkedHashMap<String, Object>());
			if (!(child instanceof Map)) {
				return false;
			}
			node = (Map<String, Object>) child;
		}
		return node.putIfAbsent(path[path.length - 1], value) == null;
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Object> withLists(Map<String, Object> node) {
		Map<String, Object> result = new LinkedHashMap<>();
		node.forEach((name, value) -> {
			Object child = value;
			if (value instanceof Map<?, ?> map) {
				Map<String, Object> children = withLists((Map<String, Object>) map);
				child = isList((Map<String, Object>) map) ? new ArrayList<>(children.values()) : children;
			}
			result.put(isBracketed(name) ? name.substring(1, name.length() - 1) : name, child);
		});
		return result;
	}

	private static boolean isList(Map<String, Object> node) {
		List<String> names = new ArrayList<>(node.keySet());
		for (int i = 0; i < names.size(); i++) {
			if (!names.get(i).equals("[" + i + "]")) {
				return false;
			}
		}
		return !names.isEmpty();
	}

	private static boolean isBracketed(String name) {
		return name.length() > 2 && name.startsWith("[") && name.endsWith("]");
	}

}
