// Reads documents of Kubernetes from stdin (YAML), and prints what is wrong with them, one a line.
//
// usage: node kubernetes_schema.cjs FOLDER-OF-NPM-PACKAGES
"use strict";
const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { join, resolve } = require("node:path");

const packages = createRequire(join(resolve(process.argv[2]), "package.json"));
const { parseAllDocuments } = packages("yaml");

function errors(model, value) {
  try {
    new model(value).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}

// The schemas let unknown fields pass, so each field in turn gets a value of a type that no field has: one that is
// still valid is unknown.
function unknownFields(model, whole, at = whole, path = "") {
  const found = [];
  for (const key of Object.keys(at)) {
    const value = at[key];
    const here = `${path}/${key}`;
    at[key] = Symbol("no value of any field");
    if (errors(model, whole).length === 0) found.push(`${here} is not known`);
    at[key] = value;
    if (value !== null && typeof value === "object") found.push(...unknownFields(model, whole, value, here));
  }
  return found;
}

let number = 0;
for (const document of parseAllDocuments(readFileSync(0, "utf8"))) {
  const problems = document.errors.map((error) => error.message);
  const value = document.toJS();
  try {
    const model = packages(`kubernetes-models/${value.apiVersion}/${value.kind}`)[value.kind];
    problems.push(...errors(model, value), ...unknownFields(model, value));
  } catch (error) {
    problems.push(error.message);
  }
  for (const problem of problems) console.log(`document ${number}: ${problem.replace(/\n/g, "; ")}`);
  number += 1;
}
if (number === 0) console.log("no documents");
